"""Prediction: spans cost the information about a label that they hide."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.errors import ParameterError, did_you_mean, listed
from sfumato.hierarchies import Domain, TreeDomain
from sfumato.loss.objective import Marginals, Objective, mean
from sfumato.loss.span_prices import SpanSteps, priced_by_steps
from sfumato.table.microdata import Microdata, SensitiveColumn

Counts = NDArray[np.float64]

#: The weight of the certainty penalty added to information: a model may use what no single column shows.
CERTAINTY = 0.2

#: Pseudo-rows added to every value, labelled like the whole table: few rows prove little.
PRIOR = 5.0


#: The most labels to distinguish; rarer ones are taken together.
LABELS = 16


def prediction(label: str | None = None) -> Objective:
    """Make the loss of information about a label, for data that should predict it.

    Parameters
    ----------
    label
        The sensitive column to predict; the first by default.
    """
    name = "prediction" if label is None else f"prediction:{label}"
    prices = partial(prediction_prices, label=label)
    return Objective(name, spread=1.0, prices=prices, suppressed=lambda rows: 1.0, shown=mean, upper=1.0)


def predicted(objective: Objective) -> tuple[bool, str | None]:
    """Whether a loss is that of prediction, and of which label; None for the first sensitive column."""
    name, colon, label = objective.name.partition(":")
    return name == "prediction", label if colon else None


def prediction_prices(
    microdata: Microdata, marginals: Marginals, tie: float = 0.0, label: str | None = None
) -> Microdata:
    """Price the spans of a table by what they hide about the label.

    A column counts by how much its values tell about the label, and a span in it by how far the labels of its values
    differ. One half of the rows decides where labels differ; the other half, which had no part in that choice, decides
    how much the difference is worth. Rows are in random order, so every other row makes a half.
    """
    column = label_of(microdata, label)
    choosing, judging = (slice(half, None, 2) for half in (0, 1))
    found, worth = [], []
    for at, domain in enumerate(microdata.domains):
        chosen, judged = (
            _label_counts(microdata.codes[half, at], column.codes[half], domain.size, column.size)
            for half in (choosing, judging)
        )
        steps = _steps(domain, chosen, judged)
        found.append(steps)
        worth.append(max(0.0, information(chosen, judged)) if steps.total else 0.0)
    total = sum(worth) or 1.0
    shares = [_scaled(steps, (1 - CERTAINTY) * one / total) for steps, one in zip(found, worth, strict=True)]
    certainty = CERTAINTY if any(worth) else 1.0
    return priced_by_steps(microdata, shares, (certainty + tie) * microdata.weights)


def label_of(microdata: Microdata, label: str | None) -> SensitiveColumn:
    """Find the sensitive column to predict."""
    names = [column.name for column in microdata.sensitive]
    if not names or label not in {None, *names}:
        what = f"'{label}' is none" if label is not None and names else "the label that is to be predicted"
        raise ParameterError(
            f"minimize='prediction' needs a sensitive column: {what}. Sensitive columns: {listed(names) or 'none'}. "
            f"{did_you_mean(label, names)}".rstrip()
        )
    return few_labels(microdata.sensitive[0 if label is None else names.index(label)])


def few_labels(column: SensitiveColumn) -> SensitiveColumn:
    """Keep the most frequent values of a column, and merge the others into one if there are many."""
    if column.size <= LABELS:
        return column
    often = np.argsort(-column.counts(), kind="stable")
    places = np.full(column.size, LABELS - 1, np.int32)
    places[often[: LABELS - 1]] = np.arange(LABELS - 1)
    return replace(column, values=column.values.take(pa.array(often[:LABELS])), codes=places[column.codes])


def _label_counts(codes: NDArray[np.unsignedinteger], labels: NDArray[np.int32], size: int, values: int) -> Counts:
    keys = codes.astype(np.int64) * values + labels
    return np.bincount(keys, minlength=size * values).reshape(size, values).astype(np.float64)


def information(chosen: Counts, judged: Counts) -> float:
    """Measure what the values of a column, learnt from some rows, tell about the labels of others, in nats per row."""
    before, after = _shares(chosen.sum(axis=0)[None]), _shares(chosen)
    return float((judged * np.log(after / before)).sum() / max(1.0, judged.sum()))


def _shares(counts: Counts) -> Counts:
    """Compute the shares of labels in every row of counts, smoothed towards those of the whole table."""
    overall = (counts.sum(axis=0) + 1) / (counts.sum() + counts.shape[1])
    return np.asarray((counts + PRIOR * overall) / (counts.sum(axis=1, keepdims=True) + PRIOR))


def _steps(domain: Domain, chosen: Counts, judged: Counts) -> SpanSteps:
    """Measure how far labels differ below every code of a scale, or inside every node of a tree."""
    if isinstance(domain, TreeDomain):
        return _tree_steps(domain, chosen)
    values = len(domain.values)
    segments = cut_scale(chosen[:values], judged[:values])
    below = np.zeros(values)
    sums = np.add.reduceat(chosen[:values], segments, axis=0) if values else chosen[:0]
    shares = _shares(sums)
    differ = np.abs(np.diff(shares, axis=0)).sum(axis=1) / 2
    below[segments[1:]] = differ
    below = np.cumsum(below)
    return SpanSteps(below, float(below[-1]) if values else 0.0)


def cut_scale(chosen: Counts, judged: Counts) -> NDArray[np.int64]:
    """Cut a scale where labels differ, each time where the choosing rows gain most; return where segments begin.

    A cut stays only if the judging rows gain by it too.
    """
    begins, waiting = [0], [(0, len(chosen))]
    while waiting:
        low, high = waiting.pop()
        place = best_cut(chosen[low:high])
        if place and _gain(chosen[low:high], judged[low:high], place) > 0:
            begins.append(low + place)
            waiting += [(low, low + place), (low + place, high)]
    return np.sort(np.array(begins, np.int64))


def best_cut(counts: Counts) -> int:
    """Find the cut that makes the labels of both sides purest; 0 if there is none."""
    if len(counts) < 2:
        return 0
    below = np.cumsum(counts, axis=0)[:-1]
    above = counts.sum(axis=0) - below
    both = (below.sum(axis=1) > 0) & (above.sum(axis=1) > 0)
    pure = np.where(both, _log_likelihood(below) + _log_likelihood(above), -np.inf)
    return int(np.argmax(pure)) + 1 if both.any() else 0


def _log_likelihood(counts: Counts) -> NDArray[np.float64]:
    sizes = np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return np.asarray((counts * np.log(np.where(counts > 0, counts / sizes, 1.0))).sum(axis=1))


def _gain(chosen: Counts, judged: Counts, place: int) -> float:
    """Measure what the judging rows gain if the labels of the two sides are learnt separately."""
    sides = [np.stack([part[:place].sum(axis=0), part[place:].sum(axis=0)]) for part in (chosen, judged)]
    return information(*sides)


def _tree_steps(domain: TreeDomain, chosen: Counts) -> SpanSteps:
    """Measure how far the labels of the leaves of every node differ from its mean; never less than below it."""
    tree = domain.tree
    reached = np.vstack([np.zeros(chosen.shape[1]), np.cumsum(chosen, axis=0)])
    rows = chosen.sum(axis=1)
    shares = _shares(chosen)
    cost = np.zeros(len(tree.first))
    for node in np.argsort(tree.last - tree.first, kind="stable"):
        first, last = int(tree.first[node]), int(tree.last[node])
        if first == last:
            continue
        held = reached[last + 1] - reached[first]
        inside = shares[first : last + 1]
        middle = held / max(1.0, held.sum()) if held.sum() else inside.mean(axis=0)
        apart = np.abs(inside - middle).sum(axis=1) / 2
        own = float(apart @ rows[first : last + 1] / max(1.0, rows[first : last + 1].sum()))
        below = (tree.first >= first) & (tree.last <= last)
        cost[node] = max(own, float(cost[below].max(initial=0.0)))
    return SpanSteps(cost, float(cost.max(initial=0.0)))


def _scaled(steps: SpanSteps, share: float) -> SpanSteps:
    """Scale steps to a total."""
    return SpanSteps(steps.inside * share / (steps.total or 1.0), share if steps.total else 0.0)
