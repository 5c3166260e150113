"""``sfumato.recode``: a table at given levels, checked against the models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Unpack

from sfumato import methods
from sfumato.api.policy import Policy
from sfumato.common.progress import ProgressOption
from sfumato.privacy import KAnonymity
from sfumato.release.release import Release
from sfumato.run.build import anonymize_for
from sfumato.run.request import RecodeArguments, spelled_out
from sfumato.table.schema import Schema


@spelled_out
def recode(
    data: object,
    schema: Schema | None = None,
    *,
    levels: Mapping[str, int | str],
    progress: ProgressOption = False,
    **arguments: Unpack[RecodeArguments],
) -> Release:
    """Recode a table to given levels, such as those chosen for last month's table, and check that the models hold.

    Parameters
    ----------
    data, schema
        As in `anonymize`; the hierarchies must be those that the levels were chosen with.
    levels
        The level of every quasi-identifier, by number (``release.levels``, or a row of ``release.alternatives``) or by
        name (``release.level_names``). Names mean the same for every table; numbers may not.
    k, l, t, privacy, preset
        What must hold, as in `anonymize`. Without any, the table is recoded without a promise.
    suppression
        The share of rows that may be left out because their classes break a model.
    quasi_identifiers, sensitive, person, identifiers, plain, rest, weights
        As in `anonymize`.
    missing, intervals, ends, keep_order, seed, progress, separator, encoding, sheet, layout,
    decimal, dates, skip
        As in `anonymize`.
    transform, pseudonymize, sample, engine, memory, temporary, threads
        As in `anonymize`.

    Raises
    ------
    InfeasibleError
        If the levels no longer keep the models; the message says how many rows break them.

    Examples
    --------
    >>> import pyarrow as pa, sfumato as sf
    >>> schema = sf.Schema({"age": sf.Numeric(widths=(5, 10))})
    >>> release = sf.recode(pa.table({"age": [21, 23, 34, 38]}), schema, levels={"age": 2}, k=2)
    >>> sorted(release.data["age"].to_pylist())
    ['[20, 29]', '[20, 29]', '[30, 39]', '[30, 39]']
    """
    request = Policy.of("recode", schema, method=methods.FixedLevels(levels), **arguments)
    return anonymize_for(data, replace(request, privacy=request.privacy or (KAnonymity(1),)), progress)
