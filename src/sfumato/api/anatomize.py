"""``sfumato.anatomize``: a release in two tables."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Unpack

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.assess.cautions import cautions_before, refuse
from sfumato.common import parameters
from sfumato.common.progress import Progress, ProgressOption, reporting
from sfumato.common.threads import at_most
from sfumato.errors import SchemaError, VerificationError, listed
from sfumato.methods.comparators.anatomy import anatomy_groups
from sfumato.privacy import LDiversity
from sfumato.release.anatomy import LIMITS, Anatomy
from sfumato.release.manifest import Grounds, versions
from sfumato.release.values import without_traces
from sfumato.run.prepare import Prepared, prepare
from sfumato.run.read import read_table
from sfumato.run.request import AnatomizeArguments, Request, spelled_out
from sfumato.table.microdata import SensitiveColumn
from sfumato.table.schema import Schema
from sfumato.verify.anatomy import TwoTables, verify_anatomy


@spelled_out
def anatomize(
    data: object,
    schema: Schema | None = None,
    *,
    l: int,  # noqa: E741
    progress: ProgressOption = False,
    **arguments: Unpack[AnatomizeArguments],
) -> Anatomy:
    """Release two tables: exact quasi-identifiers with a group, and the sensitive values of every group.

    This is Anatomy, a comparator: a sensitive value is known with a probability of at most 1/l, but every row can be
    found.

    Parameters
    ----------
    data, schema
        As in `anonymize`, with exactly one sensitive column.
    l
        No sensitive value makes up more than 1/l of a group; at least 2.
    quasi_identifiers, sensitive, identifiers, plain, rest
        As in `anonymize`.
    missing, seed, na, confirm, strict, transform, sample, progress, separator, encoding, sheet, layout,
    decimal, dates, skip
        As in `anonymize`.

    Raises
    ------
    InfeasibleError
        If more than 1/l of the rows have the same sensitive value; the message names the largest l that works.

    Examples
    --------
    >>> import pyarrow as pa, sfumato as sf
    >>> people = pa.table({"age": [25, 27, 41, 44], "illness": ["flu", "ulcer", "flu", "asthma"]})
    >>> release = sf.anatomize(people, quasi_identifiers="age", sensitive="illness", l=2, seed=1)
    >>> release.people.column_names, release.values.column_names
    (['age', 'group'], ['group', 'illness', 'count'])
    >>> print(release.count({"age": (20, 26), "illness": "ulcer"}))
    0.5 (between 0 and 1)
    """
    asked = parameters.integer("anatomize", "l", l, at_least=2)
    request = Request.of("anatomize", schema, privacy=LDiversity(asked), **arguments)
    return anatomize_for(data, request, asked, progress)


def anatomize_for(data: object, request: Request, l: int, progress: ProgressOption = False) -> Anatomy:  # noqa: E741
    """Make the two tables that a request asks for."""
    _check_roles(request.schema)
    with at_most(request.threads), reporting(progress, "anatomize") as report:
        report("reading", 0.0)
        source = request.open(data)
        prepared = prepare(read_table(source, request, report), request, report)
        cautions = cautions_before(prepared.view(request), request.confirm)
        refuse(cautions, request.strict)
        made = _make(prepared, l, report)
    manifest = _manifest(source.kind, prepared, request, made)
    manifest["cautions"] = [caution.to_dict() for caution in cautions]
    manifest["grounds"] = Grounds.of(manifest, made.verification, "two tables").to_dict()
    return replace(made, cautions=cautions, manifest=manifest, source=source)


def _check_roles(schema: Schema) -> None:
    """Refuse what two tables cannot show."""
    if len(schema.sensitive) != 1:
        raise SchemaError(
            f"A release in two tables has exactly one sensitive column. Got {listed(schema.sensitive) or 'none'}."
        )
    unfit = {"person": schema.person, "weights": schema.survey_weights}
    for role, name in unfit.items():
        if name is not None:
            raise SchemaError(
                f"A release in two tables has no column of {role}, but '{name}' is declared as one. "
                "Drop the column, or use anonymize."
            )


def _make(prepared: Prepared, l: int, progress: Progress) -> Anatomy:  # noqa: E741
    """Deal the rows to groups, and verify both tables before returning them."""
    progress("grouping", 0.0)
    (column,), secret = prepared.microdata.sensitive, prepared.secret
    groups = 1 + anatomy_groups(column, l, secret.generator("anatomy"))
    order = secret.permutation("order after", len(groups))
    named = _free_names(prepared)
    people = _people(prepared, groups, order, named[0])
    tables = TwoTables(people, _values(column, groups, named), list(prepared.microdata.names), column.name, *named)
    progress("verifying", 0.0)
    verification = verify_anatomy(tables, l)
    if not verification.ok:
        raise VerificationError(
            "The two tables did not pass their independent check and are not handed out. This is a fault of Sfumato, "
            f"please report it.\n{verification.broken_rules()}"
        )
    hierarchies = prepared.schema.quasi_identifiers
    return Anatomy(people, tables.values, column.name, l, hierarchies, verification, {})


def _free_names(prepared: Prepared) -> tuple[str, str]:
    """Choose names for the columns of groups and counts that no column of the table has."""
    names = []
    for name in ("group", "count"):
        while name in prepared.roles:
            name += "_"  # noqa: PLW2901
        names.append(name)
    return names[0], names[1]


def _people(prepared: Prepared, groups: NDArray[np.int64], order: NDArray[np.int64], named: str) -> pa.Table:
    (column,) = prepared.microdata.sensitive
    originals = prepared.originals()
    rows = pa.array(order)
    shown = [name for name in prepared.roles if name in originals.column_names and name != column.name]
    taken = {name: without_traces(originals.column(name).take(rows)) for name in shown}
    return pa.table(taken | {named: pa.array(groups[order])})


def _values(column: SensitiveColumn, groups: NDArray[np.int64], named: tuple[str, str]) -> pa.Table:
    """Count the values of every group, sorted by group and value, so that the order reveals nothing."""
    cells, counts = np.unique(groups * column.size + column.codes, return_counts=True)
    group, value = np.divmod(cells, column.size)
    shown = pa.chunked_array([column.values.take(pa.array(value))])
    return pa.table({named[0]: pa.array(group), column.name: without_traces(shown), named[1]: pa.array(counts)})


def _manifest(kind: str, prepared: Prepared, request: Request, made: Anatomy) -> dict[str, Any]:
    rows = len(prepared.microdata) + prepared.left_out
    drawn = {} if prepared.drawn_from is None else {"drawn_from": prepared.drawn_from}
    return {
        "versions": dict(versions()),
        "input": {"kind": kind, "rows": rows, "columns": len(prepared.roles)} | drawn,
        "roles": dict(prepared.roles),
        "method": {"name": "anatomy", "parameters": {"l": made.l}},
        "options": request.recorded_options() | {"seed": prepared.secret.seed},
        "groups": made.verification.classes,
        "suppressed": {"total": prepared.left_out, "missing": prepared.left_out, "by_method": 0},
        "limits": LIMITS,
    }
