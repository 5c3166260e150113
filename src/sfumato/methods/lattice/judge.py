"""Whether a node is an answer, which rows it suppresses, and what that implies for the nodes above and below it.

With tuple suppression, two different facts are monotone. First, if *every* class of a node is allowed, so is every
class of the nodes above: merging allowed classes gives allowed classes. Second, rules that a class keeps satisfying
when others are merged into it (size, number of distinct values, span) never need more suppressed rows higher up; so a
node that would suppress too many rows for those rules alone rules out all nodes below it. For k-anonymity and distinct
l-diversity both facts concern the same number, and the answers form an up-set. For other models they do not: merging a
bad class into a good one can spoil it. Nodes that neither fact decides are checked one by one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.methods.base import Task
from sfumato.methods.lattice.frequencies import Frequencies, Levels, Roller, roller_for
from sfumato.methods.lattice.kernels.node_classes import ALLOWED, BROKEN_FOR_GOOD, judge_classes
from sfumato.table.kernels import rules as condition
from sfumato.table.kernels.rules import Rules

#: Rules that a class keeps satisfying when others are merged into it.
ABSORBING = (condition.SIZE, condition.DISTINCT, condition.SPAN)
#: Rules that compare a class with all released rows, which suppression changes.
COMPARING = (
    condition.CLOSE_EQUAL,
    condition.CLOSE_ORDERED,
    condition.CLOSE_TREE,
    condition.CLOSE_NUMBERS,
    condition.LIKENESS,
    condition.DISCLOSURE,
)
#: The rows sampled to estimate the length of a frequency set; smaller tables are counted as a whole.
SAMPLE = 50_000


@dataclass(frozen=True)
class Verdict:
    """What checking a node implies.

    Attributes
    ----------
    suppressed
        The number of rows in classes that are not allowed, which must be suppressed.
    least
        How many of them every node below must suppress as well.
    answer
        Whether the suppressed rows are within the budget.
    clean
        Whether every node above is an answer, too.
    hopeless
        Whether neither this node nor any below is an answer.
    """

    suppressed: int
    least: int
    answer: bool
    clean: bool
    hopeless: bool


class NodeJudge:
    """Checks the nodes of one task.

    Parameters
    ----------
    task
        The table, its requirements and the suppression budget.
    counts
        How many rows each row of the task's table stands for; by default one.
    prune
        Whether the result of a node may imply that of others; False for models that are not monotone.
    """

    def __init__(self, task: Task, counts: NDArray[np.int64] | None = None, prune: bool = True) -> None:
        self.task = task
        self.counts = counts
        self.prune = prune
        requirements = task.requirements
        self.budget = task.suppressible
        self.rules: Rules = requirements.rules
        kinds = self.rules.table[:, condition.KIND]
        self.size_only = bool((kinds == condition.SIZE).all())
        self.absorbing = bool(np.isin(kinds, ABSORBING).all())
        self.compares = bool(np.isin(kinds, COMPARING).any())
        self.counts_values = bool(len(requirements.sensitive_codes.T))
        self.smallest = requirements.smallest_class
        self.roller: Roller = roller_for(task.microdata, self.counts_values, self.smallest)
        self._shares: dict[Levels, float] = {}

    @property
    def settled_at_top(self) -> bool:
        """Whether every answer makes all nodes above answers, so that none exists if the highest node is not one."""
        return self.prune and (self.absorbing or not self.budget)

    @property
    def rows(self) -> int:
        """The number of rows of the table."""
        return len(self.task.microdata) if self.counts is None else int(self.counts.sum())

    @cached_property
    def row_keys(self) -> NDArray[np.uint64]:
        """The packed key of every row of the table."""
        return self.roller.pack(self.task.microdata.codes, self.task.requirements.sensitive_codes)

    @cached_property
    def row_counts(self) -> NDArray[np.int64]:
        """How many rows each row of the table stands for."""
        return np.ones(len(self.row_keys), np.int64) if self.counts is None else self.counts

    def scan(self, levels: Levels, in_order: bool = False) -> Frequencies:
        """Count the table itself at a node; ``in_order`` keeps the order of first occurrence."""
        return self.roller.scan(self.row_keys, self.row_counts, levels, in_order)

    def share_of_rows(self, levels: Levels) -> float:
        """Estimate the length of a node's frequency set as a share of the table; 0 for small tables.

        The estimate assumes equally frequent groups: as many as make a sample as diverse as the one that is drawn.
        """
        rows = len(self.row_keys)
        if rows < 2 * SAMPLE:
            return 0.0
        if levels not in self._shares:
            groups = groups_behind(len(self.roller.peek(self._sample, levels)), len(self._sample))
            self._shares[levels] = groups * -np.expm1(-rows / groups) / rows
        return self._shares[levels]

    @cached_property
    def _sample(self) -> NDArray[np.uint64]:
        return np.ascontiguousarray(self.row_keys[:: len(self.row_keys) // SAMPLE])

    def verdict(self, frequencies: Frequencies) -> Verdict:
        """Check the node of a frequency set."""
        if self.size_only:
            return self._verdict(frequencies.small, frequencies.small)
        allowed, lasting, of_key = self.classes(frequencies)
        sizes = np.bincount(of_key, weights=frequencies.counts, minlength=len(allowed))
        total = sizes.sum()
        return self._verdict(round(total - sizes[allowed].sum()), round(sizes[lasting].sum()))

    def _verdict(self, suppressed: int, least: int) -> Verdict:
        answer = suppressed <= self.budget
        clean = suppressed == 0 or (self.absorbing and answer)
        return Verdict(suppressed, least, answer, self.prune and clean, self.prune and least > self.budget)

    def classes(self, frequencies: Frequencies) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.int32]]:
        """Find which classes of a node are allowed, which are broken for good, and the class of every key.

        t-closeness compares a class with the rows that are kept; so classes are suppressed until all that remain are
        close to the remaining rows.
        """
        rules = self.rules
        allowed, lasting, of_key = self.judge_once(frequencies)
        count = len(allowed)
        while self.compares and not allowed.all():
            rules = rules._replace(reference=self._reference(frequencies, allowed[of_key]))
            still = allowed & (self._judge(frequencies, of_key, count, rules) == ALLOWED)
            if (still == allowed).all():
                break
            allowed = still
        return allowed, lasting, of_key

    def judge_once(self, frequencies: Frequencies) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.int32]]:
        """Do the same in comparison with the whole table, as if nothing were suppressed."""
        of_key, count = self.roller.classes(frequencies.keys, frequencies.levels, frequencies.levels)
        verdicts = self._judge(frequencies, of_key, count, self.rules)
        return verdicts == ALLOWED, verdicts == BROKEN_FOR_GOOD, of_key

    def suppressed_rows(self, levels: Levels) -> NDArray[np.bool_]:
        """Which rows of the table a node suppresses."""
        # Classes are numbered by first occurrence, both in the rows and in their frequency set.
        allowed, _, _ = self.classes(self.scan(levels, in_order=True))
        of_row, _ = self.roller.classes(self.row_keys, self.roller.bottom, levels)
        return ~allowed[of_row]

    def _judge(
        self, frequencies: Frequencies, of_key: NDArray[np.int32], count: int, rules: Rules
    ) -> NDArray[np.uint8]:
        return judge_classes(
            frequencies.keys,
            frequencies.counts,
            of_key,
            count,
            np.array(frequencies.levels),
            self.roller.layout,
            self.roller.edges,
            rules,
            rules.table[np.isin(rules.table[:, condition.KIND], ABSORBING)],
        )

    def _reference(self, frequencies: Frequencies, kept: NDArray[np.bool_]) -> NDArray[np.float64]:
        """The distribution of every sensitive column over the kept rows."""
        parts = [np.empty(0)]
        counts = frequencies.counts[kept]
        for word, shift, mask in self.roller.layout.fields[len(self.roller.domains) :].tolist():
            codes = (frequencies.keys[kept, word] >> np.uint64(shift)) & np.uint64(mask)
            parts.append(np.bincount(codes.astype(np.int64), counts).astype(np.float64))
        sizes = np.diff(self.rules.counts_at)
        padded = [np.pad(part, (0, size - len(part))) for part, size in zip(parts[1:], sizes, strict=True)]
        return np.concatenate([np.empty(0), *padded]) / max(1, counts.sum())


def groups_behind(seen: int, rows: int) -> float:
    """Estimate the number of equally frequent groups of which a sample of ``rows`` rows shows ``seen``."""
    low, high = float(seen), 1e12
    while high > 1.01 * low:
        middle = (low * high) ** 0.5
        low, high = (low, middle) if middle * -np.expm1(-rows / middle) > seen else (middle, high)
    return low
