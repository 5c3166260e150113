"""Categories without a tree of their own: flat ones, and codes that generalize digit by digit."""

from __future__ import annotations

from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.errors import DataError
from sfumato.hierarchies.base import Fitted, Hierarchy, sort_codes
from sfumato.hierarchies.domain import TreeDomain
from sfumato.hierarchies.levels import ROOT, grouped_level, identity_level, root_level

MAX_PREFIX_LENGTH = 64


class Categorical(Hierarchy):
    """Values with nothing between themselves and ``*``."""

    name: ClassVar[str] = "categorical"

    def to_policy(self) -> dict[str, Any]:
        return {"type": self.name}

    def fit(self, column: str, values: pa.Array, has_missing: bool) -> Fitted:
        ordered, codes = sort_codes(values)
        levels = (identity_level(ordered, has_missing), root_level(len(ordered) + has_missing))
        return Fitted(TreeDomain(column, ordered, has_missing, levels), codes)


class Prefix(Hierarchy):
    """Codes that lose their last character at each level: ``53715``, ``5371*``, ``537**``, … , ``*``.

    Shorter codes count as padded at the end; whole numbers as padded with zeros in front.
    """

    name: ClassVar[str] = "prefix"
    reads_text = True

    def to_policy(self) -> dict[str, Any]:
        return {"type": self.name}

    def fit(self, column: str, values: pa.Array, has_missing: bool) -> Fitted:
        texts = _code_texts(values)
        length = pc.max(pc.utf8_length(texts)).as_py() or 0
        if length > MAX_PREFIX_LENGTH:
            raise DataError(
                f"Column '{column}' is declared as Prefix(), but it holds a value of {length:,} characters. "
                f"Prefixes are meant for codes of at most {MAX_PREFIX_LENGTH} characters."
            )
        ordered, codes = sort_codes(texts)
        levels = [identity_level(ordered, has_missing)]
        for kept in range(length - 1, 0, -1):
            prefixes = pc.utf8_slice_codeunits(ordered, 0, kept)
            labels = pc.utf8_rpad(prefixes, width=length, padding=ROOT)
            keys = prefixes.dictionary_encode().indices.to_numpy()
            levels.append(grouped_level(f"{kept} characters", keys, labels, has_missing))
        levels.append(root_level(len(ordered) + has_missing))
        return Fitted(TreeDomain(column, ordered, has_missing, tuple(levels)), codes)


def _code_texts(values: pa.Array) -> pa.StringArray:
    if pa.types.is_floating(values.type) and pc.all(pc.equal(pc.floor(values), values)).as_py():
        # Whole numbers beside missing values are floats in pandas.
        values = values.cast(pa.int64(), safe=False)
    texts = values.cast(pa.string())
    if pa.types.is_integer(values.type) and len(texts):
        return pc.utf8_lpad(texts, width=pc.max(pc.utf8_length(texts)).as_py(), padding="0")
    return texts
