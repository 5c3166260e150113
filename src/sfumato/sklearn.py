"""``sfumato.sklearn``: anonymization as a step of a scikit-learn pipeline; at least k rows share each output row."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Self

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike, NDArray

from sfumato.api import anonymize as api
from sfumato.common import parameters
from sfumato.errors import MissingExtraError
from sfumato.release.release import Release

try:
    from sklearn import get_config
    from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
    from sklearn.utils.validation import check_array, check_is_fitted, validate_data
except ImportError:
    raise MissingExtraError("A transformer for scikit-learn", "sklearn") from None

#: The loss that keeps what predicts the target, and the name of the target in the table that is anonymized.
PREDICTION, TARGET = "prediction", "y"
#: The bins of a target that is a number.
BINS = 8
#: The category of a missing value.
MISSING = "(missing)"
_MICROSECONDS_A_DAY = 86_400_000_000
#: The distances computed at a time, so that they fit into memory.
_AT_A_TIME = 4_000_000


class Anonymizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Replace every row by what a box shows that holds at least k rows of the training data.

    Numbers become the middle of the box; categories of a data frame become the box's category, or an interval of
    categories such as ``[clerk, farmer]``; dates and times become days since 1970-01-01. The boxes are those of strict
    cuts, so they do not overlap, and rows with the same values share one. What ``fit_transform`` returns is
    k-anonymous: every row occurs at least k times. A new row gets what its box shows, or the nearest one; it shows
    nothing that the training rows did not, and is not counted among them. A fitted transformer holds the boxes, the
    names of all categories, and no training row: before it is passed on with a model, ask whether rare categories may
    be known, such as a job that one person has.

    All columns are quasi-identifiers. Arrays hold numbers; columns of other kinds come in a data frame. For
    hierarchies, sensitive columns and other models use `sfumato.anonymize`.

    Parameters
    ----------
    k
        The least number of training rows that share a box.
    minimize
        ``"prediction"`` makes boxes that keep what predicts the target ``y``; None loses as little detail as possible.

    Attributes
    ----------
    k_
        The least number of training rows that share a box, counted from their verified release.
    loss_
        The loss: the GCP of that release, from 0 (nothing) to 1.
    boxes_
        The lower and upper ends of the boxes: an array of shape (2, boxes, features); for a category its place.
    categories_
        By place of the feature, the categories in their order: by how they go with the target, or by name.
    n_features_in_, feature_names_in_
        As in every transformer of scikit-learn.

    Examples
    --------
    >>> Anonymizer(k=2).fit_transform([[1.0], [2.0], [7.0], [9.0]]).ravel().tolist()
    [1.5, 1.5, 8.0, 8.0]
    """

    def __init__(self, k: int = 10, minimize: str | None = None) -> None:
        self.k = k
        self.minimize = minimize

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:  # noqa: N803
        """Find boxes of at least k rows; ``y`` is the target that ``minimize="prediction"`` is about."""
        k = parameters.integer("Anonymizer", "k", self.k, at_least=1)
        parameters.choice("Anonymizer", "minimize", self.minimize, (None, PREDICTION))
        target = self._target(y)
        self.categories_ = _categories(X, target)
        self._by_column = bool(self.categories_) or any(map(_is_moment, getattr(X, "dtypes", ())))
        rows = self._numbers(X, reset=True)
        if len(rows) < k:
            raise ValueError(f"Anonymizer(k={k}) needs at least k rows, but there are n_samples={len(rows)}.")
        release = _released(rows, k, target)
        self.k_, self.loss_ = release.achieved.k, float(release.loss.gcp)
        self.boxes_ = _boxes(release, rows.shape[1])
        return self

    def transform(self, X: ArrayLike) -> Any:  # noqa: N803
        """Replace every row by what the box shows that it lies in, or the nearest one.

        Mixed columns come as an array of objects; after ``set_output``, as a frame with the type of each column.
        """
        check_is_fitted(self)
        found = _nearest(self._numbers(X, reset=False), *self.boxes_)
        middles = self._middles()
        if not self.categories_:
            return middles[found]
        shown = {place: middles[found, place] for place in range(self.n_features_in_)}
        for place, names in self.categories_.items():
            ends = self.boxes_[:, :, place].astype(np.int64)
            labels = [names[low] if low == high else f"[{names[low]}, {names[high]}]" for low, high in ends.T]
            shown[place] = np.array(labels, object)[found]
        return self._contained(shown, X)

    def _contained(self, shown: dict[int, NDArray[Any]], X: Any) -> Any:  # noqa: N803
        """Typed columns as the frame that ``set_output`` asks for, by default as an array of objects."""
        asked = getattr(self, "_sklearn_output_config", {}).get("transform", get_config()["transform_output"])
        if asked not in {"pandas", "polars"}:
            return np.column_stack([column.astype(object) for column in shown.values()])
        library = import_module(asked)
        columns = dict(zip(self.get_feature_names_out(), shown.values(), strict=True))
        if asked == "polars":
            return library.DataFrame({name: column.tolist() for name, column in columns.items()})
        return library.DataFrame(columns, index=getattr(X, "index", None))

    def _target(self, y: ArrayLike | None) -> NDArray[np.int64] | None:
        """The classes of the target, numbers in a few bins; None if it does not matter."""
        if self.minimize is None:
            return None
        if y is None:
            raise ValueError("Anonymizer(minimize='prediction') needs the target y: fit(X, y).")
        values = np.asarray(y)
        classes, codes = np.unique(values, return_inverse=True)
        if values.dtype.kind != "f" or len(classes) <= BINS:
            return np.asarray(codes, np.int64)
        return np.asarray(np.searchsorted(np.quantile(values, np.linspace(0, 1, BINS + 1)[1:-1]), values), np.int64)

    def _numbers(self, X: Any, reset: bool) -> NDArray[np.float64]:  # noqa: N803
        """The rows as numbers: categories by their place, NaN for one that was not there before."""
        if not self._by_column:
            return np.asarray(_validated(self, X, reset), np.float64)
        validate_data(self, X, reset=reset, skip_check_array=True)
        columns = []
        for place, name in enumerate(X.columns):
            if place in self.categories_:
                places = {value: at for at, value in enumerate(self.categories_[place])}
                columns.append(np.array([places.get(one, np.nan) for one in _texts(X[name])], np.float64))
            else:
                numbers = _moments(X[name]) if _is_moment(list(X.dtypes)[place]) else X[[name]]
                columns.append(np.asarray(check_array(numbers, dtype=np.float64), np.float64)[:, 0])
        return np.column_stack(columns)

    def _middles(self) -> NDArray[np.float64]:
        lower, upper = self.boxes_
        # Half of each first: the sum of two large ends may be beyond what a float holds.
        return np.asarray(lower / 2 + upper / 2)


def _validated(estimator: Anonymizer, X: Any, reset: bool) -> Any:  # noqa: N803
    """Numbers in an array; words are refused without being shown."""
    try:
        return validate_data(estimator, X, dtype=np.float64, reset=reset)
    except ValueError as error:
        if "could not convert string" not in str(error):
            raise
        raise ValueError(
            "Anonymizer takes words in a data frame of pandas or Polars only; an array holds numbers."
        ) from None


def _categories(X: Any, target: NDArray[np.int64] | None) -> dict[int, list[str]]:  # noqa: N803
    """The categories of every column of a data frame that holds no numbers, in their order."""
    found: dict[int, list[str]] = {}
    if not hasattr(X, "columns") or not hasattr(X, "dtypes"):
        return found
    for place, (name, kind) in enumerate(zip(X.columns, list(X.dtypes), strict=True)):
        if not _is_number(kind) and not _is_moment(kind):
            texts = np.array(_texts(X[name]), object)
            values, codes = np.unique(texts.astype(str), return_inverse=True)
            sums = np.bincount(codes, weights=np.zeros(len(codes)) if target is None else target)
            found[place] = values[np.lexsort((values, sums / np.bincount(codes)))].tolist()
    return found


def _is_number(kind: Any) -> bool:
    """Whether a type of pandas or Polars is one of numbers or truth values."""
    if hasattr(kind, "is_numeric"):
        return bool(kind.is_numeric()) or str(kind) == "Boolean"
    return getattr(kind, "kind", "O") in "biuf"


def _is_moment(kind: Any) -> bool:
    """Whether a type of pandas or Polars is one of dates or times."""
    return str(kind).startswith("Date") if hasattr(kind, "is_numeric") else getattr(kind, "kind", "O") == "M"


def _moments(column: Any) -> NDArray[np.float64]:
    """Dates and times as days since 1970-01-01, in a column of one feature."""
    values = column.to_numpy()
    moments = column.to_numpy(dtype="datetime64[us]") if values.dtype == object else values.astype("datetime64[us]")
    days = np.where(np.isnat(moments), np.nan, moments.astype(np.int64) / _MICROSECONDS_A_DAY)
    return np.asarray(days, np.float64)[:, None]


def _texts(column: Any) -> list[str]:
    """The values of a column as text; a missing one is a category of its own."""
    lacking = column.isna() if hasattr(column, "isna") else column.is_null()
    return [MISSING if none else str(value) for value, none in zip(column.to_numpy(), lacking, strict=True)]


def _released(rows: NDArray[np.float64], k: int, target: NDArray[np.int64] | None) -> Release:
    # Zeros of both signs are one value, also in a comparison of bits.
    table = pa.table({f"x{place}": column + 0.0 for place, column in enumerate(rows.T)})
    names = table.column_names
    asked: dict[str, Any] = {"method": "mondrian"}
    if target is not None:
        table = table.append_column(TARGET, pa.array(target).cast(pa.string()))
        asked = {"method": "best-cuts", "minimize": PREDICTION, "sensitive": TARGET}
    # These methods draw nothing, and the order stays with the owner of the data, so the seed reveals nothing.
    return api.anonymize(table, quasi_identifiers=names, k=k, intervals="bounds", keep_order=True, seed=0, **asked)


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
        outside = np.nan_to_num(np.maximum(np.maximum(lower - part, part - upper), 0.0) / ranges)
        found.append(outside.sum(axis=2).argmin(axis=1))
    return np.concatenate(found)
