"""The report of a released file, whoever made it, from the policy, the original and the file itself."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato import pipeline
from sfumato.document.columns import ColumnFacts, describe_column
from sfumato.document.facts import LEAST, Facts, Making, WrittenFile
from sfumato.document.recipe import shown_policy
from sfumato.errors import DataError
from sfumato.guardrails.kinds import kind_of_type
from sfumato.io import Source, open_source
from sfumato.release.manifest import method_shown
from sfumato.release.values import ValueCounts
from sfumato.request import Request
from sfumato.risks import BeforeAfter, assess
from sfumato.risks.assess import Context
from sfumato.verify.classes import code_column
from sfumato.verify.verification import Verification


def facts_of_files(
    request: Request, record: Mapping[str, Any], original: object, release: str | os.PathLike[str]
) -> Facts:
    """Collect what can be known about a released file; how it was made is known only as far as the policy says.

    Parameters
    ----------
    request
        What the release was asked to keep.
    record
        The same as plain values, for the reader.
    original
        The table that it was made from.
    release
        The released file.
    """
    schema = request.schema
    source = open_source(original, separator=request.separator, encoding=request.encoding)
    roles = schema.roles(source.columns)
    verification = pipeline.check(release, request)
    before, after = _read(source, request), _read_release(open_source(release, separator=request.separator), request)
    if not before.num_rows or not after.num_rows:
        raise DataError("The original and the release need at least one row each: there is nothing to report.")
    columns = _described(request, before, after, verification)
    lost = {name: column.lost for name, column in columns.items()}
    gone = max(0, before.num_rows - after.num_rows)
    parameters = method_shown(request.method.recorded())
    method = {"name": request.method.name, **parameters}
    policy, elided = shown_policy({**record, "method": method}, after)
    return Facts(
        verification=verification,
        risk=_risk(request, before, after),
        promises=[model.to_policy() for model in request.privacy],
        roles=roles,
        rows_in=before.num_rows,
        policy=policy,
        elided=elided,
        kinds={name: kind_of_type(before.schema.field(name).type) for name in before.column_names},
        suppressed={"total": gone},
        losses=_loss(lost, before.num_rows, gone) if len(lost) == len(schema.quasi_identifiers) else {},
        by_column=lost,
        columns=columns,
        making=Making({"name": request.method.name, "parameters": parameters}),
        keeps_order=request.keep_order,
        file=WrittenFile.of(release),
    )


def _read(source: Source, request: Request) -> pa.Table:
    schema = request.schema
    person = [schema.person] if schema.person is not None else []
    return source.read([*schema.quasi_identifiers, *schema.sensitive, *person], schema.read_as_text(), na=request.na)


def _read_release(source: Source, request: Request) -> pa.Table:
    as_text = [name for name in request.schema.read_as_text() if name in source.columns]
    return source.read(source.columns, as_text)


def _described(
    request: Request, before: pa.Table, after: pa.Table, verification: Verification
) -> dict[str, ColumnFacts]:
    found = {}
    least = max(LEAST, verification.k or 0)
    for name, hierarchy in request.schema.quasi_identifiers.items():
        coded = code_column(name, before.column(name))
        counts = np.bincount(coded.codes, minlength=coded.size)
        originals = ValueCounts(coded.values, counts, np.zeros_like(counts))
        statistic = request.intervals if request.intervals in {"midpoint", "mean"} else None
        column = describe_column(after, name, originals, hierarchy, least, statistic)
        if column is not None:
            found[name] = column
    return found


def _risk(request: Request, before: pa.Table, after: pa.Table) -> BeforeAfter:
    """Return the risk before and after; a release does not say whose its rows are, so there rows are counted."""
    schema = request.schema
    names = dict.fromkeys(schema.quasi_identifiers)
    shown = [one for name in names for one in pipeline.shown_as(name, after.column_names)]
    return BeforeAfter(
        assess(before, names, schema.sensitive, Context(person=schema.person)),
        assess(after, names, schema.sensitive, Context(), shown),
    )


def _loss(lost: Mapping[str, float], rows: int, gone: int) -> dict[str, float]:
    """Return the loss as a whole, as the released file shows it: a row that is gone has lost everything."""
    mean = sum(lost.values()) / max(1, len(lost))
    return {"gcp": (mean * (rows - gone) + gone) / rows}
