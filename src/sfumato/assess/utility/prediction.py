"""Measures of machine learning on a release, which need scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.assess.utility.comparison import UtilityComparison
from sfumato.assess.utility.measures import Measure, MeasureResult
from sfumato.common.grouping import code_column

#: The most rows to train on, and the least size of a leaf.
MOST_ROWS, LEAF = 20_000, 20

#: Labels with more distinct numbers are predicted by fifths.
MOST_LABELS = 20

#: The share of the originals that is held out for testing if no others are given.
ASIDE = 1 / 3


def available() -> bool:
    """Whether scikit-learn is installed."""
    return find_spec("sklearn") is not None


class Prediction(Measure):
    """How well a decision tree trained on the release predicts originals."""

    name = "prediction"
    title = "prediction from the release"
    higher_is_better = True
    needs_learning = True

    def measure(self, comparison: UtilityComparison) -> MeasureResult | None:
        """Compute the accuracy of a tree on test rows, beside a tree trained on originals and guessing."""
        if comparison.label is None:
            return None
        random = comparison.secret.generator("test rows")
        order = random.permutation(comparison.original.num_rows)
        aside = int(len(order) * ASIDE) if comparison.held_out is None else 0
        test = comparison.original.take(order[:aside]) if comparison.held_out is None else comparison.held_out
        train = comparison.original.take(order[aside:])
        names = [name for name in comparison.names if name != comparison.label]
        right = {
            "trained on the release": _score(comparison.sample, test, names, comparison.label, random),
            "trained on originals": _score(train, test, names, comparison.label, random),
            "guessing": _guessing(train, test, comparison.label),
        }
        release, original, guess = right.values()
        text = (
            f"Trained on the release, a decision tree gets {release:.1%} of the test rows right; trained on originals "
            f"{original:.1%}, by guessing {guess:.1%}."
        )
        return self.found(release, text, right)


class Propensity(Measure):
    """How well a decision tree can distinguish rows drawn from the release from originals."""

    name = "propensity"
    title = "telling release and original apart"
    needs_learning = True

    def measure(self, comparison: UtilityComparison) -> MeasureResult | None:
        """Compute the propensity score measure, from 0 (indistinguishable) to 1 (fully distinguishable)."""
        from sklearn.model_selection import cross_val_predict  # noqa: PLC0415

        random = comparison.secret.generator("propensity")
        size = min(comparison.original.num_rows, comparison.sample.num_rows, MOST_ROWS)
        if size < 2 * LEAF:
            return None
        both = [
            part.take(random.permutation(part.num_rows)[:size]) for part in (comparison.original, comparison.sample)
        ]
        coded = _features(both, comparison.names)
        truth = np.repeat([0, 1], size)
        chances = cross_val_predict(_tree(random), np.concatenate(coded), truth, cv=3, method="predict_proba")
        value = float(4 * np.mean((chances[:, 1] - 0.5) ** 2))
        return self.found(
            value, f"A decision tree tells rows drawn from the release from originals with a score of {value:.3f}."
        )


def _tree(random: np.random.Generator) -> Any:
    from sklearn.tree import DecisionTreeClassifier  # noqa: PLC0415

    return DecisionTreeClassifier(min_samples_leaf=LEAF, random_state=int(random.integers(2**31)))


def _score(train: pa.Table, test: pa.Table, names: list[str], label: str, random: np.random.Generator) -> float:
    rows = random.permutation(train.num_rows)[:MOST_ROWS]
    known, unknown = _features([train.take(rows), test], names)
    given, wanted = _labels(train.take(rows), test, label)
    return float(np.mean(_tree(random).fit(known, given).predict(unknown) == wanted))


def _guessing(train: pa.Table, test: pa.Table, label: str) -> float:
    given, wanted = _labels(train, test, label)
    return float(np.mean(wanted == np.bincount(given).argmax()))


def _labels(train: pa.Table, test: pa.Table, label: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Code the labels as numbers of classes; many distinct numbers by the fifth of the test rows they are in."""
    given, wanted = (part[:, 0] for part in _features([train, test], [label]))
    different = np.unique(wanted)
    if len(different) > MOST_LABELS and pa.types.is_primitive(test.column(label).type):
        different = np.unique(np.quantile(wanted, [0.2, 0.4, 0.6, 0.8]))
        return np.searchsorted(different, given), np.searchsorted(different, wanted)
    _, codes = np.unique(np.concatenate([given, wanted]), return_inverse=True)
    return codes[: len(given)], codes[len(given) :]


def _features(tables: Sequence[pa.Table], names: Sequence[str]) -> list[NDArray[np.float64]]:
    """Code columns as numbers that a tree can split: numbers unchanged, all others by the rank of their values."""
    columns = []
    for name in names:
        parts = [table.column(name) for table in tables]
        if all(pa.types.is_integer(part.type) or pa.types.is_floating(part.type) for part in parts):
            values = [np.asarray(part.cast(pa.float64()).to_numpy(zero_copy_only=False), float) for part in parts]
            columns.append([np.nan_to_num(value, nan=-1.0) for value in values])
            continue
        texts = [part.cast(pa.string()) for part in parts]
        coded = code_column(name, pa.chunked_array([chunk for text in texts for chunk in text.chunks], pa.string()))
        ends = np.cumsum([len(part) for part in parts])[:-1]
        columns.append([codes.astype(float) for codes in np.split(coded.codes, ends)])
    return [np.stack([column[at] for column in columns], axis=1) for at in range(len(tables))]
