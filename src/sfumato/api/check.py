"""``sfumato.check``: whether a table keeps privacy models, whatever made it."""

from __future__ import annotations

from typing import Unpack

from sfumato.run import check as checks
from sfumato.run.request import CheckAnyArguments, Request, spelled_out
from sfumato.table.schema import Schema
from sfumato.verify.verification import Verification


@spelled_out
def check(data: object, schema: Schema | None = None, **arguments: Unpack[CheckAnyArguments]) -> Verification:
    """Check any table against privacy models, whatever made it.

    Parameters
    ----------
    data
        As in `anonymize`.
    schema
        The role of every column, as in `anonymize`; or give the roles as arguments:
    quasi_identifiers
        The columns that together make a class. For a column shown as ``age_min`` and ``age_max``, name ``age``.
    sensitive
        The sensitive columns.
    person
        The column that identifies the person, if people have several rows; then people are counted, not rows.
    confirm
        Columns that look like something that the preset forbids, but are not.
    k, l, t, privacy, preset
        As in `anonymize`. Without any, the result says what the table achieves.
    separator, encoding, sheet, layout, decimal, dates, skip
        As in `anonymize`.
    engine, memory, temporary, threads
        As in `anonymize`: DuckDB groups and counts a table that does not fit in ``memory``; the executors of a
        cluster check a Spark frame, or what the cluster is to read.

    Examples
    --------
    >>> import pyarrow as pa, sfumato as sf
    >>> result = sf.check(pa.table({"age": ["[20, 29]", "[20, 29]", "*"]}), quasi_identifiers="age", k=2)
    >>> result.ok, result.k
    (False, 1)
    """
    return checks.check(data, Request.of("check", schema, **arguments))
