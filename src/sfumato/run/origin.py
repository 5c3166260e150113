"""The original behind a release that was made in memory: it answers what only the publisher may ask."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.common.grouping import RowGroups, code_column, group_rows
from sfumato.common.progress import ProgressOption, silent
from sfumato.common.rows import gather
from sfumato.errors import ParameterError, VerificationError
from sfumato.hierarchies.base import inverse
from sfumato.io import open_source
from sfumato.privacy import Requirements
from sfumato.release.origin import Origin
from sfumato.release.shown import ShownInMemory
from sfumato.release.values import ValueCounts, class_table, count_values
from sfumato.run.find import FoundClasses
from sfumato.run.prepare import Prepared
from sfumato.run.request import Request
from sfumato.table.kernels.rules import FREQUENCY
from sfumato.table.schema import Schema
from sfumato.verify.verification import Achieved, Verification

if TYPE_CHECKING:
    from sfumato.assess.queries import Where
    from sfumato.assess.risk import BeforeAfter, Risk
    from sfumato.loss import Bound
    from sfumato.release.candidates import CandidatesLeft, Fitting, SamePerson
    from sfumato.release.explanation import Explanation, WhatIf


@dataclass(frozen=True)
class OriginInMemory(Origin):
    """A table that was prepared and recoded in memory, and the release that was made of it.

    Attributes
    ----------
    prepared, found
        The encoded table, and the classes that a method found for it.
    shown, people
        The released rows, and the person of each where several rows may belong to one.
    order
        Which row of the encoded table each released row is.
    """

    prepared: Prepared = field(repr=False)
    found: FoundClasses = field(repr=False)
    shown: ShownInMemory = field(repr=False)
    people: NDArray[np.int64] | None = field(default=None, repr=False)
    order: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64), repr=False)

    def __deepcopy__(self, memo: Mapping[int, Any]) -> OriginInMemory:
        """Copies of a release share its original, which never changes."""
        return self

    def bound(self) -> Bound:
        """Compute a lower bound on the GCP of any release, with row prices in the order of the input."""
        return bound_of(self.prepared, self.found)

    def bound_record(self, bound: Bound) -> dict[str, Any]:
        """Put the bound file together: what it states, and the price of every row in the order of the input."""
        from sfumato.release.bound_file import BoundedClasses, bound_record  # noqa: PLC0415

        prepared, request = self.prepared, self.found.request
        _refuse_changed(prepared, request)
        requirements = Requirements(tuple(request.privacy), prepared.microdata)
        sensitive, ell = _frequency(requirements)
        classes = BoundedClasses(
            requirements.smallest_class,
            ell,
            sensitive,
            request.may_leave_out(len(prepared.microdata)) > 0,
            "suppress" if request.missing == "suppress" else "category",
        )
        known = [*prepared.microdata.names, *([] if sensitive is None else [sensitive])]
        table = prepared.originals(known, inverse(prepared.places))
        reading = {
            "text": [name for name in request.read_as_text() if name in known],
            "missing": {name: sorted(words) for name, words in request.na.items()},
        }
        weights, domains = prepared.schema.weights, prepared.microdata.domains
        return bound_record(table, domains, weights, classes, bound, prepared.left_out, reading)

    def shown_as(self, intervals: str) -> ShownInMemory:
        """Show the same classes in the same order with intervals in another way, as the request could have asked."""
        from sfumato.run.build import release_order, show_rows  # noqa: PLC0415

        request = self.found.request.with_intervals(intervals)
        order = release_order(self.prepared, self.found.recoded.classes, request)
        places = gather(self.prepared.places, order)
        source = self.shown.source
        assert source is not None
        shown = show_rows(source, self.prepared, replace(self.found, request=request), order, places, silent)
        if request.preset is not None:
            from sfumato.run.presets import with_left_over  # noqa: PLC0415

            unchecked = Verification(shown.table.num_rows, 0, Achieved(None, {}), ())
            found = with_left_over(unchecked, request, open_source(shown.table), made=True)
            if not found.ok:
                raise VerificationError(f"This view of the release is not safe.\n{found.broken_rules()}")
        return shown

    def value_counts(self) -> dict[str, ValueCounts]:
        """Count the values of every quasi-identifier, also in the rows that are left out."""
        recoded = self.found.recoded
        return count_values(recoded.microdata, recoded.classes.of_row < 0)

    def class_table(self) -> Any:
        """Describe every class in one row, with the means of numbers, in a frame of the same kind as the input."""
        recoded = self.found.recoded
        return self.shown.as_frame(class_table(recoded.microdata, self.found.recoding, recoded.classes))

    def risk(self) -> BeforeAfter:
        """Assess the original by its codes, and the release by its rows."""
        from sfumato.assess.risk import BeforeAfter  # noqa: PLC0415

        schema = self.found.request.schema
        return BeforeAfter(risk_before(self.prepared, schema), risk_after(self.shown, schema, self.people))

    def knows(self, where: Where, after: Fitting | None) -> CandidatesLeft:
        """Count whom a description fits in the original, and how certain their sensitive values are."""
        from sfumato.assess.queries import Released  # noqa: PLC0415
        from sfumato.release.candidates import Fitting, candidates  # noqa: PLC0415

        assert after is not None
        prepared, sensitive = self.prepared, self.found.request.schema.sensitive
        table = prepared.originals([*where, *sensitive])
        hierarchies = {name: how for name, how in prepared.schema.quasi_identifiers.items() if name in where}
        original = Released(table, hierarchies)
        original.refuse_typos(where)
        before = Fitting.of(original, where, prepared.people)
        left_out = self.found.recoded.classes.suppressed + prepared.left_out
        return candidates(before, after, [name for name in sensitive if name not in where], left_out)

    def same_people(self, count: int) -> tuple[SamePerson, ...]:
        """Show some people before and after: the first rows of the encoded table, whose order is random."""
        from sfumato.release.candidates import SamePerson  # noqa: PLC0415

        prepared, shown = self.prepared, self.shown
        few = np.arange(min(count, len(prepared.microdata)))
        place = np.full(len(prepared.microdata), -1)
        place[self.order] = np.arange(len(self.order))
        alike = group_rows(code_column(name, shown.table.column(name)) for name in shown.class_columns)
        before, after = _texts(prepared.originals(rows=few)), self._shown_texts(place[few])
        return tuple(
            SamePerson(int(prepared.places[row]), before[row], after[row], _size(alike, int(place[row]))) for row in few
        )

    def _shown_texts(self, rows: NDArray[np.int64]) -> list[dict[str, str | None] | None]:
        """What released rows show, by the original's columns; None where the row is -1. Two bounds are shown as one."""
        records = _texts(self.shown.table.take(pa.array(np.maximum(rows, 0))))
        for record in records:
            for name, columns in self.shown.quasi_identifiers.items():
                if columns != (name,):
                    ends = [record.pop(column) for column in columns]
                    record[name] = "–".join("…" if end is None else end for end in ends)
        return [record if row >= 0 else None for row, record in zip(rows, records, strict=True)]

    def explain(self, row: int | None, column: str | None, what_if: WhatIf, progress: ProgressOption) -> Explanation:
        """Explain why the release looks as it does, and what other settings would cost."""
        from sfumato.run.explain import Explainer  # noqa: PLC0415

        return Explainer(self.prepared, self.found).explain(row, column, what_if, progress)


def bound_of(prepared: Prepared, found: FoundClasses) -> Bound:
    """Compute a lower bound on the GCP of any release under a request; the method may have found its prices already.

    It is about what was asked for, even where the method was given a larger k to keep that. Where people have several
    rows, k people have at least k rows, but how the sensitive values of rows mix says nothing about people.
    """
    from sfumato.loss import Mixed, bound_by, gcp_bound  # noqa: PLC0415

    microdata, recoded, request = prepared.microdata, found.recoded, found.request
    requirements = Requirements(tuple(request.privacy), microdata)
    by_rows = prepared.people is None and recoded.k == requirements.k
    prices = found.recoding.details.get("row_prices") if by_rows else None
    if prices is not None and len(prices) == len(microdata):
        bound = bound_by(prices, recoded.left_out)
    else:
        number = prepared.secret.number("bound")
        mixed = Mixed.by(requirements) if prepared.people is None else None
        suppresses = request.may_leave_out(len(microdata)) > 0
        bound = gcp_bound(microdata, requirements.k, recoded.left_out, number, suppresses, mixed)
    if bound.prices is not None:
        bound.prices = bound.prices[inverse(prepared.places)]
    return bound


def _frequency(requirements: Requirements) -> tuple[str | None, Fraction | None]:
    """The sensitive column of which no value may make up more than 1 / l of a class, and l; both None without one.

    Of several conditions the strictest; l is rounded down to thousandths, which allows more classes.
    """
    found = [rule for rule in requirements.bound if rule.kind == FREQUENCY and rule.first > 1]
    if not found:
        return None, None
    strictest = max(found, key=lambda rule: rule.first)
    column = requirements.microdata.sensitive[strictest.column].name
    return column, Fraction(int(Fraction(str(strictest.first)) * 1000), 1000)


def _refuse_changed(prepared: Prepared, request: Request) -> None:
    """Refuse bound files where the rows that the bound is about are not those of the original."""
    changed = {
        "a sample, a transformation or pseudonyms": request.changes_rows or prepared.drawn_from is not None,
        "a preset": request.preset is not None,
        "people with several rows": prepared.people is not None,
    }
    reason = next((name for name, applies in changed.items() if applies), None)
    if reason is not None:
        raise ParameterError(
            f"A bound file lists the rows of the original, and with {reason} the bound is about other rows. Apply the "
            "changes first, write the table, and make the release of that."
        )


def risk_before(prepared: Prepared, schema: Schema) -> Risk:
    """Assess the original by its codes, which is enough for counting."""
    from sfumato.assess import risk as risks  # noqa: PLC0415
    from sfumato.assess.risk.assessment import Context  # noqa: PLC0415

    context = Context(person=schema.person, weights=schema.survey_weights)
    hierarchies = dict.fromkeys(prepared.microdata.names)
    return risks.assess(coded_original(prepared, schema), hierarchies, schema.sensitive, context)


def risk_after(shown: ShownInMemory, schema: Schema, people: NDArray[np.int64] | None) -> Risk:
    """Assess a release by its rows."""
    from sfumato.assess import risk as risks  # noqa: PLC0415
    from sfumato.assess.risk.assessment import Context  # noqa: PLC0415

    table, person = shown.table, schema.person
    context = Context(person=person, weights=schema.survey_weights)
    table = table.drop_columns([person]) if person in table.column_names else table
    released = table if person is None else table.append_column(person, pa.array(people))
    hierarchies = dict.fromkeys(shown.quasi_identifiers)
    return risks.assess(released, hierarchies, schema.sensitive, context, shown.class_columns)


def coded_original(prepared: Prepared, schema: Schema) -> pa.Table:
    """The original as the risk assessment reads it: codes instead of values."""
    microdata = prepared.microdata
    codes = {name: pa.array(microdata.codes[:, at]) for at, name in enumerate(microdata.names)}
    rows = pa.array(prepared.places)
    secrets = {name: prepared.table.column(name).take(rows) for name in schema.sensitive}
    whose = {} if schema.person is None else {schema.person: pa.array(prepared.people)}
    weights = {} if schema.survey_weights is None else {schema.survey_weights: pa.array(prepared.weights).take(rows)}
    return pa.table(codes | secrets | whose | weights)


def _texts(table: pa.Table) -> list[dict[str, str | None]]:
    """The rows of a table as texts."""
    columns = {name: table.column(name).cast(pa.string()) for name in table.column_names}
    return cast(list[dict[str, str | None]], pa.table(columns).to_pylist())


def _size(alike: RowGroups, row: int) -> int:
    """How many rows look like a row; none like one that is left out."""
    return int(alike.sizes[alike.of_row[row]]) if row >= 0 else 0
