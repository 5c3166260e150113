"""Recompute losses from the released rows alone: from the sizes of classes and from the labels.

Each part reports its own loss, and a fault there would go unseen. A release whose rows disagree is refused.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.errors import VerificationError
from sfumato.hierarchies import ROOT, CellDomain, Domain, IntervalDomain, SetDomain
from sfumato.hierarchies.cell_domain import closing
from sfumato.hierarchies.levels import value_texts
from sfumato.loss import LossReport
from sfumato.run.build import BuildOutcome
from sfumato.run.large.engine import ShownElsewhere, counted, group_counts
from sfumato.verify.verification import Verification

#: Sums in another order differ by rounding.
NEAR = 1e-9


def recount(shown: ShownElsewhere, outcome: BuildOutcome, loss: LossReport, found: Verification) -> tuple[str, ...]:
    """Compare the reported losses with those of the released rows; return which could be recomputed.

    Parameters
    ----------
    shown
        The released rows.
    outcome
        The outcome of the run.
    loss
        The reported losses.
    found
        The verification of the released rows.
    """
    recounted = _sizes(outcome, found, loss) | _penalties(shown, outcome, found)
    for name, counted_loss in recounted.items():
        reported = loss.by_attribute[name[1]] if isinstance(name, tuple) else loss[name]
        if not math.isclose(reported, counted_loss, rel_tol=NEAR, abs_tol=NEAR):
            what = f"the loss of '{name[1]}'" if isinstance(name, tuple) else name
            raise VerificationError(
                f"Parts reported {reported:.9g} for {what}, but the released rows say {counted_loss:.9g}. "
                "This is a fault of Sfumato, please report it."
            )
    if found.classes > loss.classes:
        raise VerificationError(
            f"Parts reported {loss.classes:,} classes, but the released rows have {found.classes:,}. "
            "This is a fault of Sfumato, please report it."
        )
    return tuple(name for name in recounted if isinstance(name, str))


#: A loss by its name, or that of one column.
Named = str | tuple[str, str]


def _sizes(outcome: BuildOutcome, found: Verification, loss: LossReport) -> dict[Named, float]:
    """Recompute the losses that depend on class sizes; none where two classes look alike to readers."""
    if found.classes != loss.classes:
        return {}
    frequencies = next(iter(found.frequencies.values()))
    squares = sum(size * size * times for (size, _), times in frequencies.items())
    gone = outcome.left_out + outcome.suppressed
    k = max((model.smallest_class() for model in outcome.request.privacy), default=1)
    return {"dm": float(squares + gone * outcome.rows), "c_avg": found.rows / max(1, found.classes) / k}


def _penalties(shown: ShownElsewhere, outcome: BuildOutcome, found: Verification) -> dict[Named, float]:
    """Recompute the mean penalty of each column from its labels, and the GCP if all columns allow that."""
    domains = outcome.microdata.domains
    means = {domain.name: _mean(shown, domain, found.rows) for domain in domains}
    read: dict[Named, float] = {("column", name): mean for name, mean in means.items() if mean is not None}
    if len(read) == len(domains):
        gone = outcome.left_out + outcome.suppressed
        weights = dict(zip(means, outcome.microdata.weights.tolist(), strict=True))
        penalty = sum(weight * read["column", name] for name, weight in weights.items())
        read["gcp"] = float((penalty * found.rows + gone) / max(1, outcome.rows))
    return read


def _mean(shown: ShownElsewhere, domain: Domain, rows: int) -> float | None:
    """Recompute the mean penalty of a column over the released rows; None if its labels do not determine it."""
    if shown.quasi_identifiers[domain.name] != (domain.name,):
        return None
    groups = counted(shown.rows, [domain.name])
    labels = groups.column(domain.name)
    if not pa.types.is_string(labels.type) and not pa.types.is_large_string(labels.type):
        return None
    penalties = penalties_of(domain, labels.to_pylist())
    return None if penalties is None else float(penalties @ group_counts(groups)) / max(1, rows)


def penalties_of(domain: Domain, labels: list[str | None]) -> NDArray[np.float64] | None:
    """The penalty of each label; None where a label is ambiguous."""
    known: dict[str, set[float]] = {}
    for at in range(len(domain.levels)):
        level = domain.levels[at]
        for label, cost in zip(level.labels.to_pylist(), domain.level_costs(at).tolist(), strict=True):
            if label is not None:
                known.setdefault(label, set()).add(cost)
    begins, reaches = _places(domain) if isinstance(domain, IntervalDomain) else ({}, {})
    found = [_penalty(domain, label, known, begins, reaches) for label in labels]
    return None if any(one is None for one in found) else np.array(found, np.float64)


#: Positions on the scale from 0 to 1, by how the value is written.
Places = Mapping[str, float]


def _places(domain: IntervalDomain) -> tuple[Places, Places]:
    """Where intervals begin, by their left end as written, and where they end, by the right end and bracket."""
    if not isinstance(domain, CellDomain):
        places = dict(zip(domain.texts.drop_null().to_pylist(), domain.positions.tolist(), strict=False))
        return places, {f"{text}]": place for text, place in places.items()}
    ends, close = domain.value_ends, closing(domain.values.type)
    low, high = (value_texts(side.drop_null()).to_pylist() for side in (ends.low, ends.high))
    begins, reaches = domain.shares(ends.offsets), domain.shares(ends.offsets + ends.widths)
    return dict(zip(low, begins.tolist(), strict=False)), {
        f"{text}{close}": reach for text, reach in zip(high, reaches.tolist(), strict=False)
    }


def _penalty(
    domain: Domain, label: str | None, known: Mapping[str, set[float]], begins: Places, reaches: Places
) -> float | None:
    if label is None:
        return 0.0  # no row of the class has a value
    costs = set(known.get(label, ())) | set(_between(label, begins, reaches))
    if not costs and isinstance(domain, SetDomain) and label.startswith("{"):
        return 1.0
    if label == ROOT and not costs:
        return 1.0
    return min(costs) if costs and max(costs) - min(costs) <= NEAR else None


def _between(label: str, begins: Places, reaches: Places) -> Iterator[float]:
    """Yield the possible penalties of an interval; a value may itself contain the comma that separates the ends."""
    if not label.startswith("["):
        return
    parts = label[1:].split(", ")
    for cut in range(1, len(parts)):
        low, high = begins.get(", ".join(parts[:cut])), reaches.get(", ".join(parts[cut:]))
        if low is not None and high is not None:
            yield float(min(high - low, 1.0))
