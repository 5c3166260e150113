"""Example tables: seeded generators of any size, and the Adult table, with their hierarchies."""

from __future__ import annotations

from sfumato.datasets.adult import adult
from sfumato.datasets.census import census
from sfumato.datasets.dataset import Dataset
from sfumato.datasets.lands_end import lands_end
from sfumato.datasets.patients import patients
from sfumato.datasets.synthetic import discrete, simple_normal

__all__ = ["Dataset", "adult", "census", "discrete", "lands_end", "patients", "simple_normal"]
