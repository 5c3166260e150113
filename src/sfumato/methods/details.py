"""What a method reports about its search, besides the classes that it found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sfumato.methods.enumeration.optimality import Optimality
    from sfumato.methods.lattice.answers import Alternatives, NodeTable, Search
    from sfumato.methods.lattice.explanation import NodeExplanation

#: The field that is no entry itself, but holds those that no field declares.
OTHERS = "others"


@dataclass(frozen=True, kw_only=True, eq=False)
class MethodDetails(Mapping[str, Any]):
    """What a method reports about its search: a mapping of the entries that it fills, each of which is a typed field.

    Every field is also an attribute of the release. A method of another package that reports something else declares
    it as a field of a subclass, with None for "not reported".

    Attributes
    ----------
    levels, level_names
        The level of each quasi-identifier, by number and by name (full-domain recoding).
    search
        What the search in the lattice did.
    alternatives, lattice
        Every answer with what it loses; every node of the lattice, unless they are too many to list.
    explanation
        Which attribute holds the others back, and what the neighbours of the released node cost.
    optimality
        How near a search came to the best, with proof.
    tried, chosen, minimized
        The loss of every method that was tried, the one whose classes are released, and the loss they were compared by.
    nodes_visited
        How many sets of classes were examined.
    row_prices
        The least cost of every row in any release, if a proof computed it.
    others
        Entries of a plain mapping that no field declares; they are found by ``release.details[...]`` only.

    Examples
    --------
    >>> details = MethodDetails(chosen="mondrian", tried={"mondrian": 0.25})
    >>> dict(details), details.get("search")
    ({'tried': {'mondrian': 0.25}, 'chosen': 'mondrian'}, None)
    """

    levels: Mapping[str, int] | None = None
    level_names: Mapping[str, str] | None = None
    search: Search | None = None
    alternatives: Alternatives | None = None
    lattice: NodeTable | None = None
    explanation: NodeExplanation | None = None
    optimality: Optimality | None = None
    tried: Mapping[str, float] | None = None
    chosen: str | None = None
    minimized: str | None = None
    nodes_visited: int | None = None
    row_prices: NDArray[np.float64] | None = None
    others: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> MethodDetails:
        """Type what a method reported; methods of other packages may report a plain mapping."""
        if isinstance(found, MethodDetails):
            return found
        declared = {name: value for name, value in found.items() if name in cls.declared()}
        return cls(**declared, others={name: value for name, value in found.items() if name not in declared})

    @classmethod
    def declared(cls) -> tuple[str, ...]:
        """Name everything that methods may report, in the order of the fields."""
        return tuple(one.name for one in fields(cls) if one.name != OTHERS)

    def __getitem__(self, name: str) -> Any:
        found = getattr(self, name) if name in self.declared() else None
        return self.others[name] if found is None else found

    def __iter__(self) -> Iterator[str]:
        yield from (name for name in self.declared() if getattr(self, name) is not None)
        yield from self.others

    def __len__(self) -> int:
        return sum(1 for _ in self)
