"""The partition enumeration tree, which contains every hierarchical partition exactly once.

Cutting a box in two, and each side again, gives a hierarchical partition. Often several cuts go all the way through it,
and any of them can come first, so the same partition has many trees of cuts. Its *canonical* tree takes at every box
the first (by attribute, then by position) of all cuts that go through it.

Growing trees leaf by leaf, in depth-first order, reaches every tree in exactly one way. A further cut never removes a
cut that goes through, so descendants of a tree that is not canonical are not canonical either and need not be grown:
the remaining trees form the enumeration tree, with one node per partition.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

#: The first and the last slab of a block in every attribute.
Box = tuple[tuple[int, int], ...]

#: An attribute, and the last slab on the left of the cut.
Cut = tuple[int, int]


@dataclass(frozen=True)
class PartitionTree:
    """A canonical tree of cuts, which represents a partition.

    Attributes
    ----------
    box
        The box that it divides.
    cut
        The first cut, None for a leaf.
    left, right
        The trees of both sides.
    through
        All cuts that go all the way through the box.
    leaves
        The blocks, in depth-first order.
    """

    box: Box
    cut: Cut | None = None
    left: PartitionTree | None = None
    right: PartitionTree | None = None
    through: frozenset[Cut] = frozenset()
    leaves: tuple[Box, ...] = field(default=())

    @classmethod
    def leaf(cls, box: Box) -> PartitionTree:
        """A tree without cuts."""
        return cls(box, leaves=(box,))

    @classmethod
    def joined(cls, box: Box, cut: Cut, left: PartitionTree, right: PartitionTree) -> PartitionTree | None:
        """Join two trees by a cut; None if another cut that goes through the box should have come first."""
        attribute = cut[0]
        either = {other for other in left.through | right.through if other[0] == attribute}
        through = either | (left.through & right.through) | {cut}
        if min(through) != cut:
            return None
        return cls(box, cut, left, right, frozenset(through), left.leaves + right.leaves)

    def grown(self, leaf: int, cut: Cut) -> PartitionTree | None:
        """The tree with one more cut of the given leaf; None if that is not canonical."""
        if self.cut is None or self.left is None or self.right is None:
            return PartitionTree.joined(self.box, cut, *(PartitionTree.leaf(side) for side in sides(self.box, cut)))
        before = len(self.left.leaves)
        left = self.left.grown(leaf, cut) if leaf < before else self.left
        right = self.right.grown(leaf - before, cut) if leaf >= before else self.right
        return PartitionTree.joined(self.box, self.cut, left, right) if left and right else None


def sides(box: Box, cut: Cut) -> tuple[Box, Box]:
    """Both sides of a cut of a box."""
    attribute, slab = cut
    lo, hi = box[attribute]
    left = (*box[:attribute], (lo, slab), *box[attribute + 1 :])
    return left, (*box[:attribute], (slab + 1, hi), *box[attribute + 1 :])


def cuts_of(box: Box) -> Iterator[Cut]:
    """Yield every cut of a box."""
    for attribute, (lo, hi) in enumerate(box):
        for slab in range(lo, hi):
            yield attribute, slab


def partitions(splits: Mapping[str, int | Sequence[object]] | Sequence[int]) -> Iterator[tuple[Box, ...]]:
    """Yield every distinct hierarchical partition that these cuts can make, exactly once.

    Parameters
    ----------
    splits
        The cut points of every attribute, or their number.

    Yields
    ------
    tuple
        The blocks of a partition. A block is, for each attribute, the first and the last slab that it covers; slab 0
        lies below the first cut point.

    Examples
    --------
    >>> for blocks in partitions({"age": [40], "salary": [100]}):
    ...     print(len(blocks), blocks[0])
    1 ((0, 1), (0, 1))
    2 ((0, 0), (0, 1))
    3 ((0, 0), (0, 0))
    4 ((0, 0), (0, 0))
    3 ((0, 0), (0, 1))
    2 ((0, 1), (0, 0))
    3 ((0, 0), (0, 0))
    3 ((0, 1), (0, 0))
    """
    given = splits.values() if isinstance(splits, Mapping) else splits
    counts = [cuts if isinstance(cuts, int) else len(cuts) for cuts in given]
    waiting = [(PartitionTree.leaf(tuple((0, count) for count in counts)), 0)]
    while waiting:
        tree, first = waiting.pop()
        yield tree.leaves
        waiting.extend(reversed(list(_grown(tree, first))))


def _grown(tree: PartitionTree, first: int) -> Iterator[tuple[PartitionTree, int]]:
    """Yield the children of a node: its tree with one more cut, of the leaf ``first`` or a later one."""
    for leaf in range(first, len(tree.leaves)):
        for cut in cuts_of(tree.leaves[leaf]):
            grown = tree.grown(leaf, cut)
            if grown is not None:
                yield grown, leaf
