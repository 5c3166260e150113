"""Categories without a declared tree: flat ones, and codes that generalize digit by digit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.common import parameters
from sfumato.errors import DataError, invalid_parameter
from sfumato.hierarchies.base import Fitted, Hierarchy, as_number, numbers_between, sort_codes
from sfumato.hierarchies.domain import SetDomain, TreeDomain
from sfumato.hierarchies.levels import ROOT, grouped_level, identity_level, root_level

MAX_PREFIX_LENGTH = 64


class Categorical(Hierarchy):
    """Values with nothing between themselves and ``*``.

    Parameters
    ----------
    sets
        Classes with up to this many values show them as a set, ``{cold, flu}``, instead of ``*``; 0 for no sets.
        Full-domain methods, which show all classes at one level, show ``*``. The loss of a set counts as that of ``*``.
    """

    name: ClassVar[str] = "categorical"
    shorthand: ClassVar[str] = "categorical:3"

    def __init__(self, sets: int = 0) -> None:
        self.sets = parameters.integer("Categorical", "sets", sets, at_least=0)

    @classmethod
    def from_short(cls, text: str) -> dict[str, Any]:
        return {"sets": as_number(text.strip())}

    def to_policy(self) -> dict[str, Any]:
        return {"type": self.name} | ({"sets": self.sets} if self.sets else {})

    def is_fixed(self, kind: pa.DataType) -> bool:
        """Timestamps are shown without a time if no value has one."""
        return not pa.types.is_timestamp(kind)

    def fit(self, column: str, values: pa.Array, has_missing: bool) -> Fitted:
        ordered, codes = sort_codes(values)
        levels = (identity_level(ordered, has_missing), root_level(len(ordered) + has_missing))
        return Fitted(SetDomain(column, ordered, has_missing, levels, self.sets), codes)


class Prefix(Hierarchy):
    """Codes that lose their last character at each level: ``53715``, ``5371*``, ``537**``, … , ``*``.

    Shorter codes are padded at the end, as codes of whole groups are; integers are padded with leading zeros.

    Parameters
    ----------
    length
        The number of characters of every code; lost leading zeros are restored.
    keep
        How many characters the levels show, from many to few, such as ``(3, 1)``; by default one less per level.

    Examples
    --------
    >>> fitted = Prefix(length=5).fit("zip", pa.array(["2139", "53715"]), has_missing=False)
    >>> fitted.domain.levels[1].labels.to_pylist()
    ['0213*', '5371*']
    """

    name: ClassVar[str] = "prefix"
    shorthand: ClassVar[str] = "prefix:5:3,1"
    reads_text = True

    def __init__(self, length: int | None = None, keep: Sequence[int] | None = None) -> None:
        if length is not None and parameters.integer("Prefix", "length", length, at_least=1) > MAX_PREFIX_LENGTH:
            raise invalid_parameter("Prefix", "length", f"at most {MAX_PREFIX_LENGTH}", length)
        self.length = None if length is None else int(length)
        if isinstance(keep, str) or not isinstance(keep, Iterable | None):
            raise invalid_parameter("Prefix", "keep", "a list of numbers of characters such as [3, 1]", keep)
        self.keep = None if keep is None else [parameters.integer("Prefix", "keep", one, at_least=1) for one in keep]
        if self.keep is not None and (not self.keep or sorted(set(self.keep), reverse=True) != self.keep):
            raise invalid_parameter("Prefix", "keep", "numbers of characters from many to few, such as 3, 1", keep)

    @classmethod
    def from_short(cls, text: str) -> dict[str, Any]:
        length, _, keep = text.partition(":")
        said: dict[str, Any] = {"length": as_number(length.strip())} if length.strip() else {}
        return said | ({"keep": numbers_between(keep)} if keep else {})

    def to_policy(self) -> dict[str, Any]:
        said = {"length": self.length, "keep": self.keep}
        return {"type": self.name} | {name: value for name, value in said.items() if value is not None}

    def is_fixed(self, kind: pa.DataType) -> bool:
        """Without a length, the longest code of the table decides how many characters there are."""
        return self.length is not None and not pa.types.is_floating(kind)

    def fit(self, column: str, values: pa.Array, has_missing: bool) -> Fitted:
        texts = _code_texts(values, self.length)
        length = self._checked_length(column, texts)
        ordered, codes = sort_codes(texts)
        levels = [identity_level(ordered, has_missing)]
        for kept in range(length - 1, 0, -1) if self.keep is None else [one for one in self.keep if one < length]:
            prefixes = pc.utf8_slice_codeunits(ordered, 0, kept)
            labels = pc.utf8_rpad(prefixes, width=length, padding=ROOT)
            keys = prefixes.dictionary_encode().indices.to_numpy()
            levels.append(grouped_level(f"{kept} characters", keys, labels, has_missing))
        levels.append(root_level(len(ordered) + has_missing))
        return Fitted(TreeDomain(column, ordered, has_missing, tuple(levels)), codes)

    def _checked_length(self, column: str, texts: pa.StringArray) -> int:
        """The length of the codes; an error if some are too long."""
        lengths = pc.utf8_length(texts)
        longest, allowed = pc.max(lengths).as_py() or 0, self.length or MAX_PREFIX_LENGTH
        if longest > allowed:
            raise DataError(
                f"Column '{column}' is declared as {self!r}, but it holds a value of {longest:,} characters. "
                f"Prefixes are meant for codes of at most {allowed} characters."
            ).blaming([pc.index(lengths, longest).as_py()])
        return self.length or longest


def _code_texts(values: pa.Array, length: int | None) -> pa.StringArray:
    if pa.types.is_floating(values.type) and pc.all(pc.equal(pc.floor(values), values)).as_py():
        # In pandas, integers with missing values are floats.
        values = values.cast(pa.int64(), safe=False)
    texts = values.cast(pa.string())
    if length is None and pa.types.is_integer(values.type):
        length = pc.max(pc.utf8_length(texts)).as_py()
    if length is None:
        return texts
    return pc.if_else(pc.match_substring_regex(texts, r"^\d+$"), pc.utf8_lpad(texts, length, padding="0"), texts)
