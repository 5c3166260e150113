"""Which roots of a family share a scan: those whose common super-root has a frequency set worth making.

A super-root lies below several roots; one scan counts it, and the roots are counted from its frequency set. Where that
set is about as long as the table nothing is saved, so the roots of a family that are far apart get several super-roots.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sfumato.methods.lattice.frequencies import Levels

#: A frequency set of less than this share of the rows is short,
SHORT = 0.05
#: and making a longer one takes as long as counting so many short ones, which stay in the cache.
LONG_COST = 2.75


@dataclass(frozen=True)
class Shared:
    """Roots that share a scan, the node below them all, and what they cost: a scan to a short set is 1."""

    lowest: Levels
    roots: tuple[Levels, ...]
    cost: float


def share_scans(family: Sequence[Levels], share_of_rows: Callable[[Levels], float]) -> list[Shared]:
    """Group the roots of a family so that scanning once for each group, and counting the roots from that, is cheap.

    Each root in turn joins the group where it costs least, or begins one of its own; the whole family as one group, as
    in the paper, is taken if that is no dearer. ``share_of_rows`` says how long a node's frequency set is.
    """

    def shared(roots: tuple[Levels, ...]) -> Shared:
        lowest = tuple(map(min, zip(*roots, strict=True)))
        share = share_of_rows(lowest)
        counting = len(roots) * share if len(roots) > 1 else 0.0
        return Shared(lowest, roots, (1 if share < SHORT else LONG_COST) + counting)

    whole = shared(tuple(family))
    groups: list[Shared] = []
    for root in sorted(family):
        alone = shared((root,))
        at, best, least = len(groups), alone, alone.cost
        for place, group in enumerate(groups):
            joined = shared((*group.roots, root))
            if joined.cost - group.cost < least:
                at, best, least = place, joined, joined.cost - group.cost
        groups[at : at + 1] = [best]
    return [whole] if whole.cost <= sum(group.cost for group in groups) else groups
