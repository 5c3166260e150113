"""``sfumato.sklearn``: anonymization as a step of a scikit-learn pipeline; at least k rows share each output row."""

from __future__ import annotations

from typing import Self

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike, NDArray

from sfumato.api import anonymize as api
from sfumato.common import parameters
from sfumato.errors import MissingExtraError
from sfumato.release.release import Release

try:
    from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError:
    raise MissingExtraError("A transformer for scikit-learn", "sklearn") from None

#: The distances computed at a time, so that they fit into memory.
_AT_A_TIME = 4_000_000


class Anonymizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Replace every row of numbers by the middle of a box that holds at least k rows of the training data.

    The boxes are those of strict Mondrian, so they do not overlap, and rows with the same values share one. What
    ``fit_transform`` returns is k-anonymous: every row occurs at least k times. A new row gets the middle of the box
    that it lies in, or of the nearest one; it shows nothing that the training rows did not, and is not counted among
    them. A fitted transformer holds the boxes and no training row, so it may be kept and passed on with a model.

    All columns are quasi-identifiers, and all are numbers: encode categories first, or use `sfumato.anonymize`, which
    knows hierarchies, sensitive columns and other models.

    Parameters
    ----------
    k
        The least number of training rows that share a box.

    Attributes
    ----------
    k_
        The least number of training rows that share a box, counted from their verified release.
    loss_
        The loss: the GCP of that release, from 0 (nothing) to 1.
    boxes_
        The lower and upper ends of the boxes: an array of shape (2, boxes, features).
    n_features_in_, feature_names_in_
        As in every transformer of scikit-learn.

    Examples
    --------
    >>> Anonymizer(k=2).fit_transform([[1.0], [2.0], [7.0], [9.0]]).ravel().tolist()
    [1.5, 1.5, 8.0, 8.0]
    """

    def __init__(self, k: int = 10) -> None:
        self.k = k

    def fit(self, X: ArrayLike, y: object = None) -> Self:  # noqa: N803
        """Find boxes of at least k rows; ``y`` is ignored."""
        k = parameters.integer("Anonymizer", "k", self.k, at_least=1)
        rows: NDArray[np.float64] = validate_data(self, X, dtype=np.float64)
        if len(rows) < k:
            raise ValueError(f"Anonymizer(k={k}) needs at least k rows, but there are n_samples={len(rows)}.")
        release = _released(rows, k)
        self.k_, self.loss_ = release.achieved.k, float(release.loss.gcp)
        self.boxes_ = _boxes(release, rows.shape[1])
        return self

    def transform(self, X: ArrayLike) -> NDArray[np.float64]:  # noqa: N803
        """Replace every row by the middle of the box that it lies in, or of the nearest one."""
        check_is_fitted(self)
        rows: NDArray[np.float64] = validate_data(self, X, dtype=np.float64, reset=False)
        return self._middles()[_nearest(rows, *self.boxes_)]

    def _middles(self) -> NDArray[np.float64]:
        lower, upper = self.boxes_
        # Half of each first: the sum of two large ends may be beyond what a float holds.
        return np.asarray(lower / 2 + upper / 2)


def _released(rows: NDArray[np.float64], k: int) -> Release:
    # Zeros of both signs are one value, also in a comparison of bits.
    table = pa.table({f"x{place}": column + 0.0 for place, column in enumerate(rows.T)})
    # Mondrian draws nothing, and the order stays with the owner of the data, so the seed reveals nothing.
    return api.anonymize(
        table, quasi_identifiers=table.column_names, k=k, method="mondrian", intervals="bounds", keep_order=True, seed=0
    )


def _boxes(release: Release, features: int) -> NDArray[np.float64]:
    """Collect the distinct boxes of a release as lower and upper ends."""
    table = release.table
    names = [f"x{place}_{side}" for side in ("min", "max") for place in range(features)]
    rows = np.column_stack([table[name].to_numpy() for name in names]).astype(np.float64)
    return np.unique(rows, axis=0).reshape(-1, 2, features).transpose(1, 0, 2)


def _nearest(rows: NDArray[np.float64], lower: NDArray[np.float64], upper: NDArray[np.float64]) -> NDArray[np.int64]:
    """Find for every row the box that it lies in, or the nearest, each feature scaled by its range."""
    ranges = upper.max(axis=0) - lower.min(axis=0)
    ranges[ranges == 0] = 1.0
    step = max(1, _AT_A_TIME // lower.size)
    found = [np.empty(0, np.int64)]
    for start in range(0, len(rows), step):
        part = rows[start : start + step, None, :]
        outside = np.maximum(np.maximum(lower - part, part - upper), 0.0) / ranges
        found.append(outside.sum(axis=2).argmin(axis=1))
    return np.concatenate(found)
