"""The original behind a release, which answers questions that only the publisher may ask."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from sfumato.common.progress import ProgressOption
from sfumato.errors import EngineError

if TYPE_CHECKING:
    from sfumato.assess.queries import Where
    from sfumato.assess.risk import BeforeAfter
    from sfumato.loss import Bound
    from sfumato.release.candidates import CandidatesLeft, Fitting, SamePerson
    from sfumato.release.explanation import Explanation, WhatIf
    from sfumato.release.shown import ShownInMemory
    from sfumato.release.values import ValueCounts


class Origin(ABC):
    """The original table behind a release, where it was read and encoded: in memory, or by an engine.

    It stays with the publisher, is never written to a file, and works out an answer when it is asked for one.
    """

    @abstractmethod
    def bound(self) -> Bound:
        """Compute a lower bound on the GCP of any release of this table."""

    def bound_record(self, bound: Bound) -> dict[str, Any]:
        """Put the bound file together; an engine does not load the rows that it lists."""
        raise EngineError(
            "A bound file lists a price for every row of the original, which an engine does not load. Work in memory: "
            "engine='memory'."
        )

    @abstractmethod
    def value_counts(self) -> Mapping[str, ValueCounts]:
        """Count the values of every quasi-identifier."""

    @abstractmethod
    def class_table(self) -> Any:
        """Describe every class in one row, as the kind of frame of the input or as the engine holds it."""

    def shown_as(self, intervals: str) -> ShownInMemory:
        """Show the same classes with intervals in another way; an engine shows them in one way only."""
        raise EngineError(
            f"An engine keeps this release with its intervals in one form. Ask for intervals={intervals!r} when you "
            "make the release, or make it in memory (engine='memory')."
        )

    @abstractmethod
    def risk(self) -> BeforeAfter:
        """Assess how likely people are found, in the original and in the release."""

    @abstractmethod
    def explain(self, row: int | None, column: str | None, what_if: WhatIf, progress: ProgressOption) -> Explanation:
        """Explain why the release looks as it does, and what other settings would cost."""

    def knows(self, where: Where, after: Fitting | None) -> CandidatesLeft:
        """Count whom a description fits in the original; ``after``: the released rows that it may fit."""
        raise EngineError(
            "knows() looks at single rows of the original, which an engine does not load. Work in memory: "
            "engine='memory', with a sample if the table is too large."
        )

    def same_people(self, count: int) -> tuple[SamePerson, ...]:
        """Show some people before and after."""
        raise EngineError(
            "same_people() looks at single rows of the original, which an engine does not load. Work in memory: "
            "engine='memory', with a sample if the table is too large."
        )

    def __reduce__(self) -> NoReturn:
        """Refuse to be pickled: the original would leave with the release, unseen."""
        raise TypeError(
            "A release is not pickled, because it holds the original table. Write it with release.write(), or pickle "
            "release.table."
        )

    def close(self) -> None:
        """Remove what an engine keeps; nothing has to be removed from memory."""
        return
