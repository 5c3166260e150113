"""Incognito: all full-domain answers, by subsets of the quasi-identifiers (LeFevre et al., SIGMOD 2005)."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import ClassVar

import numpy as np

from sfumato.common import parameters
from sfumato.methods.base import register
from sfumato.methods.lattice.answers import Search
from sfumato.methods.lattice.frequencies import Frequencies, Levels
from sfumato.methods.lattice.full_domain import FoundAnswers, FullDomain
from sfumato.methods.lattice.judge import NodeJudge
from sfumato.methods.lattice.materialized import materialized, shortest_below
from sfumato.methods.lattice.nodes import ANSWER, REJECTED, Map, Space

#: The variants, and how each describes itself in the list of methods.
VARIANTS = {
    "basic": "a scan per root",
    "superroots": "roots share scans",
    "cube": "one scan, all counts derived first",
    "materialized": "counts at various levels, those that save most, made first",
}

#: A subset of the attributes, by index.
Subset = tuple[int, ...]
#: A generalization of a subset of the attributes, with the level of each.
Candidate = tuple[Subset, Levels]

#: A frequency set with less than this share of the rows is short.
SHORT = 0.05
#: The cost of computing a longer one, in short ones, which stay in the cache.
LONG_COST = 2.75


@dataclass(frozen=True)
class Incognito(FullDomain):
    """Find all answers: first for single attributes, then for larger and larger subsets, pruned by smaller ones.

    Parameters
    ----------
    variant
        ``"basic"``: one scan of the table for every root of a candidate graph. ``"superroots"``: one scan for all roots
        of the same attributes, at the node below them all; on large tables one scan per group of roots, where a node
        below them all would have almost as many groups as rows. ``"cube"``: a single scan; the frequency sets of all
        subsets are computed from each other first. ``"materialized"``: the frequency sets at various levels that
        promise to save most are computed first, and roots are rolled up from the shortest of them; the fastest on long
        tables.
    minimize, weights, max_level, exhaustive
        As in `Lattice`.
    """

    variant: str = "superroots"

    name: ClassVar[str] = "incognito"

    def __post_init__(self) -> None:
        super().__post_init__()
        parameters.choice("Incognito", "variant", self.variant, tuple(VARIANTS))

    @property
    def summary(self) -> str:  # type: ignore[override]
        """What the method does, and how it scans the table."""
        return f"All full-domain answers, from small subsets of attributes to large ones; {VARIANTS[self.variant]}."

    def _find(self, judge: NodeJudge, space: Space) -> FoundAnswers:
        space.require_listable()
        return SubsetSearch(judge, space, self.variant).run()


class SubsetSearch:
    """One run of Incognito.

    Attributes
    ----------
    survivors
        For each size of subset, the generalizations that are not ruled out.
    graphs
        For each size of subset, the candidates that were considered.
    """

    def __init__(self, judge: NodeJudge, space: Space, variant: str) -> None:
        self.judge = judge
        self.space = space
        self.variant = variant
        self.search = Search()
        self.map = Map(space)
        self.graphs: dict[int, set[Candidate]] = {}
        self.survivors: dict[int, set[Candidate]] = {}
        self._cube: dict[Subset, Frequencies] = {}
        self._kept: list[Frequencies] = []

    def run(self) -> FoundAnswers:
        """Precompute the frequency sets that the variant needs, and search."""
        attributes = len(self.space.tops)
        if self.variant == "cube":
            self.build_cube(attributes)
        if self.variant == "materialized":
            self._kept = materialized(self.judge, self.space)
        return self.search_subsets(attributes)

    def search_subsets(self, attributes: int) -> FoundAnswers:
        """Search from single attributes up to all of them, and return the answers."""
        candidates: set[Candidate] = set()
        for at, top in enumerate(self.space.tops):
            candidates |= {((at,), (level,)) for level in range(top + 1)}
        for size in range(1, attributes + 1):
            self.graphs[size] = candidates
            self.search.candidates[size] = len(candidates)
            self.survivors[size] = self._survivors(candidates, last=size == attributes)
            candidates = joined(self.survivors[size])
        self.map.status[:] = REJECTED
        answers = sorted(levels for _, levels in self.survivors[attributes])
        if answers:
            self.map.status[tuple(np.array(answers).T)] = ANSWER
        return FoundAnswers(answers, self.search, self.map)

    def _survivors(self, candidates: set[Candidate], last: bool) -> set[Candidate]:
        """Search a candidate graph from its roots up; return the nodes not ruled out, in the last graph the answers."""
        sources = self._root_sources(candidates)
        queue = [(sum(levels), (subset, levels)) for subset, levels in sources]
        heapq.heapify(queue)
        survivors, marked, queued = set(candidates), set[Candidate](), set(sources)
        while queue:
            _, node = heapq.heappop(queue)
            source = sources.pop(node)
            if node in marked:
                continue
            frequencies = source if isinstance(source, Frequencies) else self._scan(source)
            frequencies = self.judge.roller.up(frequencies, self._full(node))
            self.search.nodes_checked += 1
            verdict = self.judge.verdict(frequencies)
            if verdict.clean:
                mark(node, candidates, marked)
                continue
            if verdict.hopeless or (last and not verdict.answer):
                survivors.discard(node)
            for above in generalizations(node):
                if above in candidates and above not in queued:
                    queued.add(above)
                    sources[above] = frequencies
                    heapq.heappush(queue, (sum(above[1]), above))
        return survivors

    def _root_sources(self, candidates: set[Candidate]) -> dict[Candidate, Frequencies | Candidate]:
        """Find the roots of a graph, and for each the source of its frequency set: another set, or a node to scan."""
        roots = [node for node in candidates if not any(below in candidates for below in specializations(node))]
        if self.variant == "basic":
            return {root: root for root in roots}
        if self.variant == "cube":
            return {root: self._cube[root[0]] for root in roots}
        if self.variant == "materialized":
            return {root: shortest_below(self._kept, self._full(root)) or root for root in roots}
        families: dict[Subset, list[Levels]] = {}
        for subset, levels in roots:
            families.setdefault(subset, []).append(levels)
        sources: dict[Candidate, Frequencies | Candidate] = {}
        for subset, family in families.items():
            for group in share_scans(family, partial(self._share_of_rows, subset)):
                super_root = self._scan((subset, group.lowest))
                sources |= dict.fromkeys([(subset, root) for root in group.roots], super_root)
        return sources

    def _share_of_rows(self, subset: Subset, levels: Levels) -> float:
        return self.judge.share_of_rows(self._full((subset, levels)))

    def _scan(self, node: Candidate) -> Frequencies:
        return self.judge.scan(self._full(node))

    def build_cube(self, attributes: int) -> None:
        """Compute the frequency sets of all subsets without generalization, each from one with one attribute more."""
        everything = tuple(range(attributes))
        self._cube[everything] = self.judge.scan((0,) * attributes)
        for size in range(attributes - 1, 0, -1):
            for subset in combinations(everything, size):
                missing = [at for at in everything if at not in subset]
                larger = min((self._cube[tuple(sorted((*subset, at)))] for at in missing), key=len)
                self._cube[subset] = self.judge.roller.up(larger, self._full((subset, (0,) * size)))

    def _full(self, node: Candidate) -> Levels:
        """Extend a candidate to a node of the whole lattice: other attributes are at their highest level."""
        levels = list(self.judge.roller.top)
        for at, level in zip(*node, strict=True):
            levels[at] = level
        return tuple(levels)


@dataclass(frozen=True)
class Shared:
    """Roots that share a scan, the node below them all, and their cost, where a scan for a short set costs 1."""

    lowest: Levels
    roots: tuple[Levels, ...]
    cost: float


def share_scans(family: Sequence[Levels], share_of_rows: Callable[[Levels], float]) -> list[Shared]:
    """Group the roots of a family so that one scan per group, and rolling up its roots from there, is cheap.

    A super-root lies below several roots; one scan counts it, and the roots are rolled up from its frequency set. If
    that set is about as long as the table, nothing is saved, so a family of distant roots gets several super-roots.
    Each root in turn joins the group where it costs least, or starts a new one; the whole family stays one group, as in
    the paper, if that is no more expensive. ``share_of_rows`` estimates the length of a node's frequency set.
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


def joined(survivors: set[Candidate]) -> set[Candidate]:
    """Join survivors to the candidates with one attribute more of which every smaller part survived."""
    by_start: dict[tuple[Subset, Levels], list[tuple[int, int]]] = {}
    for subset, levels in survivors:
        by_start.setdefault((subset[:-1], levels[:-1]), []).append((subset[-1], levels[-1]))
    candidates = set()
    for (subset, levels), ends in by_start.items():
        for one, other in combinations(sorted(ends), 2):
            if one[0] < other[0]:
                node = (*subset, one[0], other[0]), (*levels, one[1], other[1])
                if all(part in survivors for part in parts(node)):
                    candidates.add(node)
    return candidates


def parts(node: Candidate) -> Iterable[Candidate]:
    """Yield a candidate without each of its attributes in turn."""
    subset, levels = node
    for at in range(len(subset)):
        yield (*subset[:at], *subset[at + 1 :]), (*levels[:at], *levels[at + 1 :])


def generalizations(node: Candidate) -> Iterable[Candidate]:
    """Yield the direct generalizations of a candidate, whether they exist or not."""
    subset, levels = node
    for at, level in enumerate(levels):
        yield subset, (*levels[:at], level + 1, *levels[at + 1 :])


def specializations(node: Candidate) -> Iterable[Candidate]:
    """Yield the candidates that one directly generalizes, whether they exist or not."""
    subset, levels = node
    for at, level in enumerate(levels):
        yield subset, (*levels[:at], level - 1, *levels[at + 1 :])


def mark(node: Candidate, candidates: set[Candidate], marked: set[Candidate]) -> None:
    """Mark all generalizations of a node, which need no check: the models hold there as well."""
    waiting = [node]
    while waiting:
        for above in generalizations(waiting.pop()):
            if above in candidates and above not in marked:
                marked.add(above)
                waiting.append(above)


register(
    incognito_basic=lambda: Incognito(variant="basic"),
    incognito_cube=lambda: Incognito(variant="cube"),
)(Incognito)
