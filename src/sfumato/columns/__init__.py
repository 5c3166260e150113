"""What happens to columns before any model looks at them: samples, declared transformations, pseudonyms."""

from __future__ import annotations

from sfumato.columns.pseudonyms import Pseudonyms, pseudonyms_of
from sfumato.columns.sampling import Sample, sample_of
from sfumato.columns.transforms import TRANSFORMS, Age, AtLevel, Clip, Round, Shift, Transform, transforms_of

__all__ = [
    "TRANSFORMS",
    "Age",
    "AtLevel",
    "Clip",
    "Pseudonyms",
    "Round",
    "Sample",
    "Shift",
    "Transform",
    "pseudonyms_of",
    "sample_of",
    "transforms_of",
]
