"""``sfumato.write_bound`` and ``check_bound``: the least possible loss with its proof, and whether the proof holds."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sfumato.common.textfiles import read_text
from sfumato.common.threads import at_most
from sfumato.errors import DataError, SourceError, listed
from sfumato.io import Source, open_source, write_text
from sfumato.release.bound_file import bound_text, column_record
from sfumato.release.release import Release
from sfumato.table.encoding import encode
from sfumato.table.schema import Schema
from sfumato.verify.bound_claim import NOT_A_BOUND
from sfumato.verify.lower_bound import BoundCheck, verify_bound


def write_bound(release: Release, path: str | os.PathLike[str]) -> None:
    """Write the bound of a release with the price of every row, as JSON, for `check_bound` to confirm.

    The file holds figures of single rows of the original, so only its owner can read it: never publish it.

    Parameters
    ----------
    release
        The release, made in memory from a table as it is: without a sample, transformations or a preset.
    path
        Where to write it.
    """
    with at_most(release.threads):
        text = bound_text(release.origin.bound_record(release.bound))
    write_text(path, text, private=True)


def check_bound(
    data: object,
    bound: str | os.PathLike[str],
    schema: Schema | None = None,
    *,
    separator: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    threads: int | None = None,
) -> BoundCheck:
    """Confirm that no release of a table loses less than a bound, from the table and the prices of its rows.

    It recomputes over all boxes what ``release.bound`` states, and shares no code with what found it.

    Parameters
    ----------
    data
        The original that the release was made from, as in `anonymize`.
    bound
        The file that `write_bound` wrote.
    schema
        The quasi-identifiers with their hierarchies and weights. Given, they must be those in the file; else they are
        listed among what is assumed.
    separator, encoding, sheet
        As in `anonymize`.
    threads
        As in `anonymize`.

    Examples
    --------
    >>> import os, tempfile, pyarrow as pa, sfumato as sf
    >>> people = pa.table({"age": [25, 27, 41, 44, 70]})
    >>> release = sf.anonymize(people, quasi_identifiers="age", k=2)
    >>> file = os.path.join(tempfile.mkdtemp(), "bound.json")
    >>> sf.write_bound(release, file)
    >>> sf.check_bound(people, file).ok
    True
    """
    record = _read(Path(bound))
    with at_most(threads):
        source = open_source(data, separator=separator, encoding=encoding, sheet=sheet)
        return confirmed(source, record, schema)


def confirmed(source: Source, record: Mapping[str, Any], schema: Schema | None = None) -> BoundCheck:
    """Confirm the bound of a record for a table that was opened."""
    try:
        names = [column["name"] for column in record["columns"]]
        names += [] if record["sensitive"] is None else [record["sensitive"]]
        as_text, missing = list(record["reading"]["text"]), dict(record["reading"]["missing"])
        known = [name for name in dict.fromkeys(names) if name in source.columns]
        as_text = [name for name in as_text if name in known]
        missing = {name: list(map(str, words)) for name, words in missing.items()}
    except (KeyError, TypeError, ValueError, AttributeError):
        raise DataError(NOT_A_BOUND) from None
    table = source.read(known, as_text, na=missing)
    found = verify_bound(table, record)
    if schema is None or not found.ok:
        return found
    kept = list(schema.quasi_identifiers)
    if kept != [column["name"] for column in record["columns"]]:
        named = listed(column["name"] for column in record["columns"])
        return replace(found, problem=f"The file is about the quasi-identifiers {named}, in this order.", bound=0.0)
    if record["missing"] == "suppress":
        table = table.filter(_complete(table, kept))
    domains = encode(table, schema.learned(table).quasi_identifiers, ()).domains
    stated = {column["name"]: column for column in record["columns"]}
    weights = schema.weights
    ours = {one.name: json.loads(json.dumps(column_record(one, weights.get(one.name, 1.0)))) for one in domains}
    differing = [name for name in kept if ours[name] != stated[name]]
    if differing:
        said = f"The file states other hierarchies or weights than you declare, for {listed(differing)}."
        return replace(found, problem=said, bound=0.0)
    return replace(found, assumed=("weights and hierarchies, as you declare them and the file states them",))


def _read(path: Path) -> Mapping[str, Any]:
    text = read_text(path, "The bound file", SourceError)
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        raise DataError(NOT_A_BOUND) from None
    if not isinstance(record, dict):
        raise DataError(NOT_A_BOUND)
    return record


def _complete(table: Any, names: list[str]) -> Any:
    import pyarrow.compute as pc  # noqa: PLC0415

    masks = [pc.is_valid(table.column(name)) for name in names]
    found = masks[0]
    for mask in masks[1:]:
        found = pc.and_(found, mask)
    return found
