"""Encode a table that was read, so that a method can start."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.assess.cautions import RequestView
from sfumato.assess.cautions.view import coded_columns
from sfumato.assess.risk.people import numbered_people
from sfumato.assess.risk.survey_weights import survey_weights
from sfumato.common.progress import Progress, silent, stage
from sfumato.common.randomness import Secret
from sfumato.common.rows import gather
from sfumato.common.threads import threads
from sfumato.errors import DataError
from sfumato.io import Remark
from sfumato.run.read import TableRead
from sfumato.run.request import Request
from sfumato.table.encoding import distinct, encode, missing_rows, refuse_missing
from sfumato.table.microdata import Microdata
from sfumato.table.people import Units
from sfumato.table.pseudonyms import rows_per_value
from sfumato.table.schema import Schema

#: The message if missing values leave no row.
ALL_LACKING = (
    "Every row lacks some quasi-identifier, so missing='suppress' leaves nothing to release. "
    "Use missing='category', or leave out the emptiest column."
)


@dataclass(frozen=True)
class Prepared:
    """A table ready for a method: its codes, and the columns that are released as they are.

    Attributes
    ----------
    table
        The columns that are released as they are, in the order of the input.
    microdata
        The codes, in random order: a method deals equal rows to classes in the order in which it meets them.
    roles
        The role of every column of the input.
    left_out
        The number of rows left out because a value is missing.
    schema
        The roles; learned hierarchies are as the table made them.
    people
        The person of each row of ``microdata``, numbered from 0; None if every row is a person.
    weights, total_weight
        The people that each row of ``table`` stands for, and their sum over the input; None without survey weights.
    places
        Where each row of ``microdata`` stands in ``table``.
    secret
        The source of all random choices of this release.
    identifiers
        The dropped columns that may name people, as numbers in the order of ``microdata``.
    row_numbers
        The unnamed columns that were dropped, since they only number the rows.
    drawn_from
        The number of rows of the input, if only some of them were drawn; None without a sample.
    remarks
        What had to be guessed or left out when the table was read.
    """

    table: pa.Table = field(repr=False)
    microdata: Microdata
    roles: dict[str, str]
    left_out: int
    places: NDArray[np.int64] = field(repr=False)
    secret: Secret
    schema: Schema
    identifiers: Mapping[str, NDArray[np.integer]] = field(default_factory=dict, repr=False)
    row_numbers: tuple[str, ...] = ()
    drawn_from: int | None = None
    remarks: tuple[Remark, ...] = ()
    people: NDArray[np.int64] | None = field(default=None, repr=False)
    weights: NDArray[np.float64] | None = field(default=None, repr=False)
    total_weight: float = 0.0

    def view(self, request: Request) -> RequestView:
        """The request and its table as guardrails see them before there are classes."""
        plain = [name for name, role in self.roles.items() if role == "plain"]
        return RequestView(
            declared=request.schema.quasi_identifiers,
            microdata=self.microdata,
            columns=coded_columns(self.microdata, self.table, plain, self.places),
            models=request.privacy,
            identifiers=self.identifiers,
            row_numbers=self.row_numbers,
            remarks=self.remarks,
            counts_people=self.people is not None,
            pseudonyms={name: rows_per_value(self.table.column(name)) for name in request.pseudonymize},
        )

    @property
    def rows(self) -> int:
        """All rows that take part or lack a value."""
        return len(self.microdata) + self.left_out

    def originals(
        self, names: Sequence[str] | None = None, rows: NDArray[np.integer] | slice = slice(None)
    ) -> pa.Table:
        """Decode the rows of ``microdata`` to the values that were read, instead of reading them again.

        ``names`` and ``rows`` are what is wanted; all if left out.
        """
        columns = {}
        for domain, codes in zip(self.microdata.domains, self.microdata.codes[rows].T, strict=True):
            if names is None or domain.name in names:
                known = pa.array(codes, mask=codes >= len(domain.values))
                columns[domain.name] = domain.values.take(known)
        places = pa.array(self.places[rows])
        others = [name for name in self.table.column_names if names is None or name in names]
        return pa.table(columns | {name: self.table[name].take(places) for name in others})

    @cached_property
    def units(self) -> Units | None:
        """The rows of one person that look alike, taken as one; None where every row is a person."""
        return None if self.people is None else Units.of(self.microdata, self.people)

    @cached_property
    def for_methods(self) -> Microdata:
        """The rows that a method sees: all, or one of each unit; cached, so that they are sorted once."""
        return self.microdata if self.units is None else self.microdata.take(self.units.rows)


def prepare(read: TableRead, request: Request, progress: Progress = silent) -> Prepared:
    """Encode the rows that were read; the request says what happens to missing values."""
    table, schema, secret = read.table, read.schema, read.secret
    weights = None if schema.survey_weights is None else survey_weights(table, schema.survey_weights)
    taken = _rows_taken(table, request)
    rows = read.rows if taken is None else read.rows[taken]
    table = table if taken is None else table.take(pa.array(taken))
    if request.is_private:
        from sfumato.run.private import fractional, refuse_unfixed  # noqa: PLC0415

        refuse_unfixed(table.schema, schema)
        table = fractional(table, schema)
    schema = schema.learned(table, request.method.needs_levels)
    with threads() as beside:
        # What does not depend on codes is done while these are found.
        drawn = beside.submit(secret.permutation, "order before", table.num_rows)
        microdata = encode(
            table,
            schema.quasi_identifiers,
            schema.sensitive,
            schema.weights,
            stage(progress, "encoding"),
            request.ends,
            lambda row: read.source.place(int(rows[row])),
        )
        places = drawn.result()
        shuffled = beside.submit(microdata.take, places)
        named = beside.submit(_identifier_codes, table, read.identifiers, places)
        people = None if schema.person is None else gather(numbered_people(table, schema.person), places)
    return Prepared(
        table=table.select([name for name in read.roles if _is_released(name, read.roles, request)]),
        microdata=shuffled.result(),
        roles=read.roles,
        left_out=len(read.rows) - len(rows),
        drawn_from=read.drawn_from,
        places=places,
        secret=secret,
        schema=schema,
        identifiers=named.result(),
        row_numbers=read.row_numbers,
        remarks=read.source.remarks,
        people=people,
        weights=weights if weights is None or taken is None else weights[taken],
        total_weight=0.0 if weights is None else float(weights.sum()),
    )


def _identifier_codes(
    table: pa.Table, naming: Sequence[str], places: NDArray[np.int64]
) -> dict[str, NDArray[np.integer]]:
    """Number the values of columns that name people: the names themselves go no further."""
    codes: dict[str, NDArray[np.integer]] = {}
    for name in naming:
        if name in table.column_names:
            with suppress(DataError):
                codes[name] = gather(distinct(name, table.column(name))[1], places)
    return codes


def _is_released(name: str, roles: Mapping[str, str], request: Request) -> bool:
    """Whether a column is released row by row, as it is or as pseudonyms."""
    return roles[name] in {"sensitive", "plain"} or name in request.pseudonymize


def _rows_taken(table: pa.Table, request: Request) -> NDArray[np.int64] | None:
    """Find the rows that take part, None for all; ``missing`` says what happens to those without a quasi-identifier."""
    names = list(request.schema.quasi_identifiers)
    if request.missing == "error":
        refuse_missing(table, names)
    if request.missing != "suppress":
        return None
    taken = np.flatnonzero(~missing_rows(table, names))
    if not len(taken):
        raise DataError(ALL_LACKING)
    return None if len(taken) == table.num_rows else taken
