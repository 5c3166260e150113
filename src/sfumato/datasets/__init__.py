"""Tables to try things on: seeded generators of any size, and the Adult table, with their hierarchies."""

from __future__ import annotations

from sfumato.datasets.census import census
from sfumato.datasets.dataset import Dataset

__all__ = ["Dataset", "census"]
