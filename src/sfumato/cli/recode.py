"""``sfumato recode``: next month's table, at the levels that were chosen for last month's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.cli import options
from sfumato.cli.anonymize import refuse_json_on_stdout, release_by
from sfumato.errors import ParameterError, SchemaError

Like = Annotated[
    Path | None,
    typer.Option("--like", metavar="MANIFEST", help="Take the levels from this manifest of a full-domain release."),
]
Levels = Annotated[
    list[str] | None,
    typer.Option(
        "--level", metavar="COLUMN=LEVEL", help="The level of a quasi-identifier, by name or number (repeat)."
    ),
]


@options.takes(without={"method", "settings", "minimize", "refine"})
def recode(
    place: options.Place,
    output: options.Output,
    asked: options.Asked,
    like: Like = None,
    level: Levels = None,
    table: options.Table = None,
    read_as: options.From = None,
    write_as: options.To = None,
    manifest: options.ManifestFile = None,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Recode a table to given levels, such as last month's, and write it if the models still hold; exit 1 if not.

    For example: sfumato recode june.csv -o june_release.csv --policy policy.toml --like may_manifest.json
    """
    from sfumato.cli.files import ReleaseFiles
    from sfumato.cli.request import to_policy
    from sfumato.cli.table import Input, columns_of
    from sfumato.methods import FixedLevels
    from sfumato.privacy import KAnonymity

    also_read = {} if like is None else {"manifest to follow": like}
    files = ReleaseFiles(place, output, manifest=manifest, write_as=write_as, also_read=also_read)
    refuse_json_on_stdout(files, as_json)
    chosen = (levels_of_manifest(like) if like is not None else {}) | named_levels(level or ())
    if not chosen:
        raise ParameterError(
            "Say which levels: --like MANIFEST of the release that they were chosen for, or --level COLUMN=LEVEL for "
            "every quasi-identifier, such as --level 'age=width 10'."
        )
    data = Input(place, read_as, table).open(asked)
    policy = to_policy(asked, columns_of(data, asked))
    policy = replace(policy, method=FixedLevels(chosen), privacy=policy.privacy or [KAnonymity(1)])
    release_by(policy, files, policy.open(data), as_json, quiet)


def levels_of_manifest(path: Path) -> dict[str, Any]:
    """Read the names of the levels that a release was made with."""
    from sfumato.common.textfiles import parsed_json, read_text

    other = ParameterError(f"{path} is not a manifest. Name the file that --manifest wrote.")
    manifest = parsed_json(read_text(path, "The manifest", ParameterError), lambda _: other)
    try:
        method = manifest["method"]
        levels = method.get("levels")
    except (TypeError, KeyError, AttributeError):
        raise other from None
    if not isinstance(levels, Mapping):
        raise ParameterError(
            f"The release of {path} has no levels: its method, {method.get('name')}, makes other classes every time. "
            "Make last month's release with a full-domain method, such as --method lattice."
        )
    return dict(levels)


def named_levels(texts: Sequence[str]) -> dict[str, Any]:
    """Read the level of each column, by its number or its name.

    >>> named_levels(["age=width 10", "zip=2"])
    {'age': 'width 10', 'zip': 2}
    """
    from sfumato.cli.shorthand import literal, split_pair

    levels: dict[str, Any] = {}
    for text in texts:
        column, level = split_pair("--level", text, "COLUMN=LEVEL, such as age=2 or 'age=width 10'")
        if column in levels:
            raise SchemaError(f"--level is given twice for '{column}'. Give it once.")
        number = literal(level)
        levels[column] = number if isinstance(number, int) and not isinstance(number, bool) else level
    return levels
