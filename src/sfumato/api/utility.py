"""``sfumato.utility``: how useful a release still is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pyarrow as pa

from sfumato.api.tables import open_original, read_columns, refuse_swapped
from sfumato.assess.queries import Anatomized, Released
from sfumato.assess.utility import Utility, UtilityComparison, measure_utility
from sfumato.common.patience import Patience
from sfumato.common.progress import ProgressOption, reporting
from sfumato.common.randomness import Secret
from sfumato.errors import DataError, SchemaError, listed, no_column
from sfumato.hierarchies.dates import Dates, moments_of
from sfumato.release.anatomy import Anatomy
from sfumato.release.release import Release
from sfumato.run.request import Request
from sfumato.run.transform import repeated
from sfumato.table.schema import Declared


def utility(
    original: object,
    release: object,
    *,
    quasi_identifiers: Mapping[str, Declared] | Iterable[str] | str | None = None,
    label: str | None = None,
    held_out: object = None,
    policy: Request | None = None,
    seed: int | None = None,
    separator: str | None = None,
    time_limit: float | None = None,
    progress: ProgressOption = False,
) -> Utility:
    """Measure what is left of a table in its release, whatever made it.

    Parameters
    ----------
    original
        The table that the release was made from, as in `anonymize`.
    release
        A `Release`, an `Anatomy`, a `Released` that answers queries about either, or any released table or file.
    quasi_identifiers
        The columns that make a class, each with its hierarchy if it is needed to read the column; a `Release` knows
        its own.
    label
        The column that a classifier is to learn; by default the first sensitive column of a `Release`.
    held_out
        Original rows that are not in the release, to test a classifier on. Without them it is tested on a third of the
        rows that the release was made from.
    policy
        How the release was made, if it is not a `Release`: the original is read alike, and columns that the policy adds
        are added to it.
    seed
        The seed of all random choices.
    separator
        The separator of CSV files; detected by default.
    time_limit
        The seconds after which no further measure is begun; the notes say which were left out. Ctrl-C does the same.
    progress
        As in `anonymize`.

    Examples
    --------
    >>> import sfumato as sf
    >>> people = sf.datasets.patients()
    >>> release = sf.anonymize(people.table, people.schema, k=2, seed=1)
    >>> found = sf.utility(people.table, release, seed=1)
    >>> 0 <= found["total_variation"].value <= 1
    True
    """
    refuse_swapped("utility", original, release)
    released = _released(release, quasi_identifiers, separator)
    policy = release.policy if isinstance(release, Release) else policy
    before = _read(original, released, separator, policy)
    names = tuple(name for name in before.column_names if released.shows(name))
    if not before.num_rows or not released.table.num_rows:
        raise DataError("The original and the release need at least one row each: there is nothing to compare.")
    chosen = label if label is not None else next(iter(_sensitive(release)), None)
    if chosen is not None and chosen not in names:
        raise SchemaError(f"The label '{chosen}' is not a column of both tables. Those are {listed(names)}.")
    more = None if held_out is None else _read(held_out, released, separator, policy)
    comparison = UtilityComparison(before, released, names, chosen, more, Secret.of(seed))
    with reporting(progress, "utility") as report:
        return measure_utility(comparison, Patience.of("utility", time_limit, report))


def _released(
    release: object, quasi_identifiers: Mapping[str, Declared] | Iterable[str] | str | None, separator: str | None
) -> Released:
    if isinstance(release, Release | Anatomy):
        return release.answering
    if isinstance(release, Released):
        return release
    if quasi_identifiers is None:
        raise SchemaError("Name the quasi-identifiers of the release, or measure a Release, which knows its own.")
    return Released.open(release, quasi_identifiers, separator=separator)


def _sensitive(release: object) -> tuple[str, ...]:
    """The sensitive columns that a release declares."""
    if isinstance(release, Anatomy | Anatomized):
        return (release.sensitive,)
    return release.sensitive if isinstance(release, Release) else ()


def _read(data: object, released: Released, separator: str | None, policy: Request | None) -> pa.Table:
    """Read the columns that a release shows, as they were before anything was changed; those that it adds are made."""
    source = open_original(data, separator, policy)
    added = {} if policy is None else {name: how for name, how in policy.transform.items() if how.derives}
    columns = [*source.columns, *added]
    lacking = [name for name in released.quasi_identifiers if name not in columns]
    if lacking:
        raise SchemaError(no_column(lacking, source.columns, "The original"))
    wanted = [name for name in columns if released.shows(name)]
    needed = [name for name in wanted if name not in added]
    needed += [one for name, how in added.items() for one in how.looks_at(name) if one not in needed]
    na = None if policy is None else policy.na
    table = repeated(read_columns(source, released.quasi_identifiers, needed, na), added)
    return _with_dates(table.select(wanted), released.quasi_identifiers)


def _with_dates(table: pa.Table, declared: Mapping[str, Declared]) -> pa.Table:
    """Read dates that are written in a format of their own, since a release shows them as dates."""
    for name, hierarchy in declared.items():
        if isinstance(hierarchy, Dates) and hierarchy.format is not None and name in table.column_names:
            column = table.column(name).cast(pa.string())
            dates = pa.chunked_array([moments_of(name, column.combine_chunks(), hierarchy.format)])
            table = table.set_column(table.column_names.index(name), name, dates)
    return table
