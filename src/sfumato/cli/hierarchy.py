"""``sfumato hierarchy``: how a hierarchy generalizes a column, and a file of it to edit by hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli import options
from sfumato.cli.screen import aligned, answer, answer_json, say

if TYPE_CHECKING:
    from sfumato.hierarchies.preview import Preview


@options.takes(only=options.FILE | options.WRITING)
def hierarchy(
    place: options.Place,
    column: Annotated[
        str,
        typer.Argument(
            metavar="COLUMN[=HOW]", help="The column and how to generalize it, such as age=numeric:5,10,20."
        ),
    ],
    asked: options.Asked,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="The file to write, with one line per value."),
    ] = None,
    table: options.Table = None,
    read_as: options.From = None,
    as_json: options.AsJson = False,
) -> None:
    """Show how a column would generalize, whether its hierarchy covers every value, and write it to a file to edit.

    For example: sfumato hierarchy patients.csv age=numeric:5,10,20 -o age.csv
    """
    from sfumato.cli.files import refuse_overwriting
    from sfumato.cli.shorthand import hierarchy_of
    from sfumato.cli.table import Input, file_options, is_address, print_remarks
    from sfumato.hierarchies.preview import preview
    from sfumato.io import check_writable, open_source

    name, _, how = column.partition("=")
    declared = hierarchy_of(how, column) if how else None
    if output is not None:
        refuse_overwriting({"output": output}, {} if is_address(place) else {"input": Path(place)})
        check_writable(output, table=False)
    source = open_source(Input(place, read_as, table).open(asked), **vars(file_options(asked)))
    wanted = [name] if declared is None else [name, *(other for other in declared.looks_at if other != name)]
    rows = source.read(wanted, as_text=[name] if declared is not None and declared.reads_text else [])
    found = preview(name, rows, declared)
    print_remarks(source)
    if as_json:
        answer_json(found.to_dict())
    else:
        # The preview is the answer only if there is neither a file nor an error.
        (answer if output is None and not found.uncovered else say)(_shown(found))
    found.refuse_gaps()
    if output is not None:
        taxonomy = found.taxonomy()
        taxonomy.write(output)
        say(f"{len(taxonomy.rows):,} values in {taxonomy.height + 1} levels: {output}")
        say(f"Edit it, and use it with --hierarchy {name}={output}")


def _shown(found: Preview) -> str:
    """Show how many values are covered, and the levels as a table."""
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
