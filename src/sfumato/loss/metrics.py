"""The losses by name, each declared once: releases report them, and methods can minimize them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import cast

import numpy as np

from sfumato.common.threads import side_by_side
from sfumato.errors import ParameterError, did_you_mean, invalid_parameter, listed
from sfumato.loss.objective import Amount, LossTotal, Objective, Sizes, Values, mean
from sfumato.loss.prediction import prediction
from sfumato.loss.recoded_table import RecodedTable, attribute_costs, summed
from sfumato.loss.span_prices import entropy_prices, entropy_range
from sfumato.loss.workload import QueryLike, is_workload, workload

#: What ``minimize=`` takes: the name of a loss, an `Objective`, or a workload of queries.
Minimized = str | Objective | Sequence[QueryLike]

#: Every loss by its name; releases report all of them.
METRICS: dict[str, Objective] = {}

#: A loss that is reported only if it is minimized: it is learnt from the table, which takes a while.
PREDICTION = "prediction"


def register_loss(objective: Objective) -> Objective:
    """Register a loss under its name: releases report it, and ``minimize=`` takes it."""
    METRICS[objective.name] = objective
    return objective


def metric(
    title: str, upper: float | None = 1.0, higher_is_better: bool = False
) -> Callable[[Callable[[RecodedTable], float]], Callable[[RecodedTable], float]]:
    """Register a function of a release under its own name, as a measure that is reported only."""

    def add(measure: Callable[[RecodedTable], float]) -> Callable[[RecodedTable], float]:
        given = Objective(measure.__name__, title, by_release=measure, upper=upper, higher_is_better=higher_is_better)
        register_loss(given)
        return measure

    return add


def can_minimize(minimize: object, able: Collection[str]) -> bool:
    """Whether ``minimize`` names a loss all of whose parts methods can lower."""
    found = _meant(minimize)
    return found is not None and found.parts <= set(able)


def find_objective(owner: str, minimize: object, able: Collection[str], besides: str = "") -> Objective:
    """Find the loss that ``minimize=`` means; refuse what is no loss, or one that ``owner`` cannot lower.

    Parameters
    ----------
    owner
        The method or function to name in the message.
    minimize
        The name of a loss, an `Objective`, or a list of queries.
    able
        The parts that can be lowered.
    besides
        What else the owner accepts, for the message.
    """
    if not able:
        raise ParameterError(
            f"{owner} has no choice of what it minimizes. Leave 'minimize' out, refine what it finds, or take a method "
            "that has one: 'best', 'lattice' or 'enum-multi'."
        )
    found = _meant(minimize)
    if found is None:
        hint = did_you_mean(minimize, [*names_of(able), PREDICTION])
        raise invalid_parameter(owner, "minimize", f"one of {besides}{_choices(able)}", minimize, hint)
    lacking = sorted(found.parts - set(able))
    if lacking:
        raise ParameterError(
            f"{owner} cannot minimize '{found.name}', which depends on {' and '.join(lacking)}. "
            f"It takes {besides}{_choices(able)}; 'sfumato methods' lists the other methods."
        )
    return found


def names_of(able: Iterable[str]) -> list[str]:
    """List the reported losses whose parts are all among those that can be lowered."""
    return [name for name, objective in METRICS.items() if objective.parts <= set(able)]


def _meant(minimize: object) -> Objective | None:
    if isinstance(minimize, Objective):
        return minimize
    if isinstance(minimize, str):
        name, colon, label = minimize.partition(":")
        return prediction(label if colon else None) if name == PREDICTION else METRICS.get(minimize)
    return workload(cast("Sequence[QueryLike]", minimize)) if is_workload(minimize) else None


def _choices(able: Collection[str]) -> str:
    by_spans = prediction().parts <= set(able)
    named = listed([*names_of(able), *([PREDICTION] if by_spans else [])])
    return f"{named}{', a list of queries' if by_spans else ''} or an Objective"


class LossReport(Mapping[str, float]):
    """The losses of a release by name, also as attributes: ``loss["gcp"]`` and ``loss.gcp``.

    Attributes
    ----------
    by_attribute
        The mean penalty of each quasi-identifier over the released rows, from 0 to 1.
    classes
        How many classes were measured: those that the method made, even if some of them look alike.
    """

    def __init__(self, values: Mapping[str, float], by_attribute: Mapping[str, float], classes: int) -> None:
        self._values = dict(values)
        self.by_attribute = dict(by_attribute)
        self.classes = classes

    @classmethod
    def of(cls, recoded: RecodedTable) -> LossReport:
        """Measure a recoding by every registered loss."""
        measured = side_by_side(lambda metric: float(metric.measure(recoded)), METRICS.values())
        values = dict(zip(METRICS, measured, strict=True))
        table, classes = recoded.microdata, recoded.classes
        released = max(1, int(classes.sizes.sum()))
        means = side_by_side(
            lambda at: summed(classes, lambda some: attribute_costs(table, classes, at, some)) / released,
            range(len(table.names)),
        )
        return cls(values, dict(zip(table.names, means, strict=True)), len(classes))

    def __getitem__(self, name: str) -> float:
        return self._values[name]

    def __getattr__(self, name: str) -> float:
        try:
            return self.__dict__["_values"][name]
        except KeyError:
            raise AttributeError(f"There is no loss called {name!r}. Known: {', '.join(METRICS)}.") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return "LossReport(" + ", ".join(f"{name}={value:.6g}" for name, value in self.items()) + ")"


# The losses of the field


def _fewest_squares(sizes: Sizes, smallest: int) -> Values:
    """Compute the sum of squares of as many and as equal classes as possible."""
    classes = sizes // smallest
    size, larger = np.divmod(sizes, classes)
    return ((classes - larger) * size**2 + larger * (size + 1) ** 2).astype(np.float64)


def _average_size(total: LossTotal) -> Amount:
    """Turn the total, in which every class counts -1, into the mean class size in multiples of k."""
    return total.kept / np.maximum(1, -np.asarray(total.lost)) / total.k


def _share_of_bits(total: LossTotal) -> Amount:
    """Turn lost bits into a share of the bits of a table that shows ``*`` everywhere.

    The bits of a row left out for a missing value are unknown, so it counts as an average row.
    """
    reached = total.rows - total.left_out
    known, possible = entropy_range(total.microdata, total.marginals)
    if possible <= known:
        return (total.rows - total.kept) / max(1, total.rows)
    # Rounding may put sums of logarithms slightly below their true value.
    share = np.clip((total.lost - total.left_out - known) / (possible - known), 0.0, 1.0)
    return (share * reached + total.left_out) / max(1, total.rows)


#: The certainty penalty: the mean over all rows of what their class spans; a suppressed row counts as 1.
GCP = register_loss(
    Objective("gcp", "global certainty penalty", spread=1.0, suppressed=lambda rows: 1.0, shown=mean, upper=1.0)
)

#: Discernibility: every row costs the size of its class, and the size of the table if it is suppressed.
DM = register_loss(Objective("dm", "discernibility", squares=1.0, floor=_fewest_squares, suppressed=float))

#: The mean size of a class in multiples of k: least with the most classes, so each class counts -1.
C_AVG = register_loss(
    Objective(
        "c_avg",
        "average class size over k",
        per_class=-1.0,
        floor=lambda sizes, smallest: -(sizes // smallest).astype(np.float64),
        shown=_average_size,
    )
)

#: The share of rows that are suppressed or differ from the most frequent label of their class. Without a sensitive
#: column there is nothing to classify, and the penalty is that of the suppressed rows alone.
CM = register_loss(
    Objective("cm", "classification penalty", labels=1.0, suppressed=lambda rows: 1.0, shown=mean, upper=1.0)
)

#: The bits needed to recover the original values, as a share of those of a table that shows ``*`` everywhere. A
#: suppressed row loses all its bits.
ENTROPY = register_loss(
    Objective(
        "entropy",
        "non-uniform entropy",
        spread=1.0,
        prices=entropy_prices,
        suppressed=lambda rows: 1.0,
        shown=_share_of_bits,
        upper=1.0,
    )
)

#: 1 minus the mean share of its hierarchy that a value climbed; a suppressed value climbed all of it.
PRECISION = register_loss(
    Objective(
        "precision",
        "precision",
        heights=lambda domain, weight: weight * np.arange(domain.top + 1) / max(1, domain.top),
        suppressed=lambda rows: 1.0,
        shown=mean,
        upper=1.0,
        higher_is_better=True,
    )
)

#: The levels that a row climbed, summed over quasi-identifiers; the height of a full-domain recoding.
HEIGHT = register_loss(
    Objective(
        "height",
        "mean height",
        heights=lambda domain, weight: np.arange(domain.top + 1, dtype=np.float64),
        shown=mean,
    )
)
