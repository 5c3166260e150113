"""The report of a released file, whatever made it, from the policy, the original and the file itself."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.api.tables import read_release
from sfumato.assess.cautions import CODES
from sfumato.assess.cautions.column_kinds import kind_of_type
from sfumato.assess.risk import BeforeAfter, assess
from sfumato.assess.risk.assessment import Context
from sfumato.errors import DataError
from sfumato.io.checksum import HashedFile
from sfumato.release.manifest import BY_TYPE, Grounds, Reportable, method_shown, model_record, promises_privacy
from sfumato.release.report.columns import ColumnFacts, describe_column
from sfumato.release.report.facts import LEAST, About, Making, ReportFacts, publishable
from sfumato.release.report.released_rows import count_unique, example_of
from sfumato.release.report.sections.policy import shown_policy
from sfumato.release.values import count_values
from sfumato.run.check import check_in_memory, columns_shown
from sfumato.run.origin import coded_original
from sfumato.run.prepare import Prepared, prepare
from sfumato.run.read import read_table
from sfumato.run.request import Request
from sfumato.verify.verification import Verification


def facts_of_files(
    request: Request,
    record: Mapping[str, Any],
    original: object,
    release: str | os.PathLike[str],
    about: About | None = None,
) -> ReportFacts:
    """Collect the facts about a released file; how it was made is known only from the policy.

    Parameters
    ----------
    request
        The request that the release was made for.
    record
        The same as plain values, for the reader.
    original
        The table that it was made from.
    release
        The released file.
    about
        The title of the report, who gets the release, and what for.
    """
    prepared = prepare(read_table(request.open(original), request), request)
    verification = check_in_memory(release, request)
    released = read_release(release, request.schema, request.separator)
    person = request.schema.person
    if not released.num_rows:
        raise DataError("The release has no rows, so there is nothing to report.")
    columns = _described(request, prepared, released, verification)
    lost = {name: column.lost for name, column in columns.items()}
    rows = len(prepared.microdata) + prepared.left_out
    gone = max(0, rows - released.num_rows)
    parameters = method_shown(request.method.recorded())
    method = {"name": request.method.name, **parameters}
    policy, elided = shown_policy({**record, "method": method, "options": request.recorded_options()}, released)
    promises, kinds = [model_record(model) for model in request.privacy], _kinds(prepared)
    declared = request.schema.quasi_identifiers
    stated = {
        "roles": prepared.roles,
        "kinds": kinds,
        "privacy": promises,
        "options": request.recorded_options(),
        "hierarchies": {name: how.name if how else BY_TYPE for name, how in declared.items()},
    }
    least = 0 if request.preset is None else request.rules.smallest_count
    suppressed = {"total": gone, "missing": prepared.left_out}
    found = ReportFacts(
        verification=verification,
        risk=_risk(prepared, released),
        promises=promises,
        roles=prepared.roles,
        rows_in=rows,
        policy=policy,
        elided=elided,
        kinds=kinds,
        grounds=Grounds.of(stated, verification),
        suppressed=suppressed,
        may=Reportable(least, suppressed, promises_privacy(promises)),
        losses=_loss(lost, rows, gone) if len(lost) == len(prepared.microdata.names) else {},
        by_column=lost,
        columns=columns,
        making=Making({"name": request.method.name, "parameters": parameters}),
        keeps_order=request.keep_order,
        pseudonyms=list(request.pseudonymize),
        changed=list(request.transform),
        unique=count_unique(released, list(request.schema.sensitive), list(request.pseudonymize)),
        example=example_of(released, prepared.roles),
        not_looked_at=CODES,
        rows_only=person is not None and person not in released.column_names,
        about=about or About(),
        file=HashedFile.of(release, "released file"),
    )
    return publishable(found)


def _described(
    request: Request, prepared: Prepared, released: pa.Table, verification: Verification
) -> dict[str, ColumnFacts]:
    statistic = request.intervals if request.intervals in {"midpoint", "mean"} else None
    least = max(LEAST, verification.k or 0)
    everybody = np.zeros(len(prepared.microdata), bool)  # a file does not say which rows were left out
    found = {
        name: describe_column(released, name, counts, prepared.schema.quasi_identifiers[name], least, statistic)
        for name, counts in count_values(prepared.microdata, everybody).items()
    }
    return {name: column for name, column in found.items() if column is not None}


def _kinds(prepared: Prepared) -> dict[str, str]:
    """Name the kind of each column: of quasi-identifiers by their values, of the others by their types."""
    known = {domain.name: domain.values.type for domain in prepared.microdata.domains}
    types = known | {name: prepared.table.schema.field(name).type for name in prepared.table.column_names}
    return {name: kind_of_type(kind) for name, kind in types.items()}


def _risk(prepared: Prepared, released: pa.Table) -> BeforeAfter:
    """Assess the risk before and after; rows are counted in a release that does not identify people."""
    schema = prepared.schema
    person = schema.person if schema.person in released.column_names else None
    names = dict.fromkeys(schema.quasi_identifiers)
    shown = columns_shown(schema, released.column_names)
    return BeforeAfter(
        assess(coded_original(prepared, schema), names, schema.sensitive, Context(person=schema.person)),
        assess(released, names, schema.sensitive, Context(person=person), shown),
    )


def _loss(lost: Mapping[str, float], rows: int, gone: int) -> dict[str, float]:
    """Compute the loss of the whole from the released file; a suppressed row has lost everything."""
    mean = sum(lost.values()) / max(1, len(lost))
    return {"gcp": (mean * (rows - gone) + gone) / rows}
