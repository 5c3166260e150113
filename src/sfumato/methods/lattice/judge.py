"""Is a node an answer? Which rows would have to go, and what that says about the nodes above and below it.

With tuple suppression two different facts are monotone. A node where *every* class is allowed stays so above: merging
allowed classes gives allowed classes. And rules that a class keeps whatever is merged into it (its size, its number of
distinct values, its span) never need more suppressed rows higher up; so a node that would suppress too many for
those rules alone rules out all nodes below it. For k-anonymity and distinct l-diversity both facts are about the same
number, and the answers form an up-set. For the other models they do not: a bad class can spoil the good one that it is
merged with. What lies between the two facts is checked node by node.
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

#: Rules that a class keeps whatever is merged into it.
ABSORBING = (condition.SIZE, condition.DISTINCT, condition.SPAN)
#: Rules that compare with the rows that are released, which suppression changes.
COMPARING = (
    condition.CLOSE_EQUAL,
    condition.CLOSE_ORDERED,
    condition.CLOSE_TREE,
    condition.CLOSE_NUMBERS,
    condition.LIKENESS,
    condition.DISCLOSURE,
)
#: How many rows are looked at to tell how long a frequency set would be; smaller tables are just counted.
SAMPLE = 50_000


@dataclass(frozen=True)
class Verdict:
    """What a node means.

    Attributes
    ----------
    suppressed
        The rows of classes that are not allowed, which must go.
    least
        How many of them must go at every node below, too.
    answer
        Whether no more rows go than may go.
    clean
        Whether this makes every node above an answer.
    hopeless
        Whether this makes no node below an answer, nor this one.
    """

    suppressed: int
    least: int
    answer: bool
    clean: bool
    hopeless: bool


class NodeJudge:
    """Tells for the nodes of one task what they mean.

    Parameters
    ----------
    task
        What is asked.
    counts
        How often every row of the task's table stands for; once where nothing is given.
    prune
        Whether what holds at a node may be passed on to others; False for models that are not monotone.
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
        """Whether there is an answer only if the highest node is one: every answer makes all nodes above answers."""
        return self.prune and (self.absorbing or not self.budget)

    @property
    def rows(self) -> int:
        """The number of rows of the table."""
        return len(self.task.microdata) if self.counts is None else int(self.counts.sum())

    @cached_property
    def row_keys(self) -> NDArray[np.uint64]:
        """The key of every row of the table."""
        return self.roller.pack(self.task.microdata.codes, self.task.requirements.sensitive_codes)

    @cached_property
    def row_counts(self) -> NDArray[np.int64]:
        """How many rows every key of the table stands for."""
        return np.ones(len(self.row_keys), np.int64) if self.counts is None else self.counts

    def scan(self, levels: Levels, in_order: bool = False) -> Frequencies:
        """Count the table itself at a node; in the order of first rows if that is wanted."""
        return self.roller.scan(self.row_keys, self.row_counts, levels, in_order)

    def share_of_rows(self, levels: Levels) -> float:
        """Return how long the frequency set of a node would be as a share of the table, roughly; 0 for small tables.

        Told from a sample, as if all groups were equally frequent: so many of them make the sample as diverse as it is.
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
        """Say what the node of a frequency set means."""
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
        """Return which classes of a node are allowed, which are broken for good, and the class of every key.

        Where rows go, those that stay are the table that t-closeness compares with; so classes go until the ones that
        stay are all close to what stays.
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
        """Return the same, compared with the whole table, as if nothing were suppressed."""
        of_key, count = self.roller.classes(frequencies.keys, frequencies.levels, frequencies.levels)
        verdicts = self._judge(frequencies, of_key, count, self.rules)
        return verdicts == ALLOWED, verdicts == BROKEN_FOR_GOOD, of_key

    def suppressed_rows(self, levels: Levels) -> NDArray[np.bool_]:
        """Return which rows of the table must go at a node."""
        # Classes are numbered as they first occur, in the rows and in their frequency set alike.
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
        """Return the distribution of every sensitive column over the rows that are kept."""
        parts = [np.empty(0)]
        counts = frequencies.counts[kept]
        for word, shift, mask in self.roller.layout.fields[len(self.roller.domains) :].tolist():
            codes = (frequencies.keys[kept, word] >> np.uint64(shift)) & np.uint64(mask)
            parts.append(np.bincount(codes.astype(np.int64), counts).astype(np.float64))
        sizes = np.diff(self.rules.counts_at)
        padded = [np.pad(part, (0, size - len(part))) for part, size in zip(parts[1:], sizes, strict=True)]
        return np.concatenate([np.empty(0), *padded]) / max(1, counts.sum())


def groups_behind(seen: int, rows: int) -> float:
    """Return how many equally frequent groups show about so many different ones among some rows."""
    low, high = float(seen), 1e12
    while high > 1.01 * low:
        middle = (low * high) ** 0.5
        low, high = (low, middle) if middle * -np.expm1(-rows / middle) > seen else (middle, high)
    return low
