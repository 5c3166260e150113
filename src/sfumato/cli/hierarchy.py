"""``sfumato hierarchy``: what a hierarchy makes of a column, and a file of it to be edited by hand."""

from __future__ import annotations

from pathlib import Path

from sfumato.cli.databases import is_address
from sfumato.cli.files import refuse_overwriting
from sfumato.cli.options import Asked
from sfumato.cli.request import Given, file_options, given_table, tell_remarks
from sfumato.cli.screen import aligned, answer, answer_json, say
from sfumato.cli.shorthand import hierarchy_of
from sfumato.hierarchies.preview import Preview, preview
from sfumato.io import check_writable, open_source


def run(asked: Asked, given: Given, column: str, output: Path | None, *, as_json: bool = False) -> None:
    """Show what a hierarchy makes of a column, and write it to a file."""
    name, _, how = column.partition("=")
    declared = hierarchy_of(how, column) if how else None
    if output is not None:
        refuse_overwriting({"output": output}, {} if is_address(given.place) else {"input": Path(given.place)})
        check_writable(output, table=False)
    data = given_table(given.place, asked, given.read_as, given.table)
    source = open_source(data, **vars(file_options(asked)))
    wanted = [name] if declared is None else [name, *(other for other in declared.looks_at if other != name)]
    rows = source.read(wanted, as_text=[name] if declared is not None and declared.reads_text else [])
    found = preview(name, rows, declared)
    tell_remarks(source)
    if as_json:
        answer_json(found.to_dict())
    else:
        # Beside a file or an error the preview is talk.
        (answer if output is None and not found.uncovered else say)(_shown(found))
    found.refuse_gaps()
    if output is not None:
        taxonomy = found.taxonomy()
        taxonomy.write(output)
        say(f"{len(taxonomy.rows):,} values in {taxonomy.height + 1} levels: {output}")
        say(f"Edit it, and use it with --hierarchy {name}={output}")


def _shown(found: Preview) -> str:
    """Return the levels as a table, and in a line what is covered."""
    lines = [
        (level.name, f"{level.groups:,}", f"{level.smallest:,}", f"{level.largest:,}", ", ".join(level.labels))
        for level in found.levels
    ]
    return "\n".join(
        [
            str(found).splitlines()[0],
            aligned(["level", "groups", "fewest rows", "most rows", "the largest, if they have 20 rows"], lines),
        ]
    )
