"""``sfumato demo``: a made-up census and its release, with every intermediate file kept for inspection."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli import options
from sfumato.cli.anonymize import make
from sfumato.cli.screen import aligned, answer, is_watched, say, wrapped

if TYPE_CHECKING:
    import pyarrow as pa

    from sfumato.cli.files import ReleaseFiles
    from sfumato.datasets import Dataset
    from sfumato.table.schema import Declared, Schema

#: What is shown before and after: as much as fits on a narrow screen.
SHOWN_ROWS = 5
SHOWN_COLUMNS = ["age", "gender", "education", "marital_status", "country", "occupation"]


@options.takes(only=options.WRITING)
def demo(
    asked: options.Asked,
    rows: Annotated[int, typer.Option("--rows", metavar="N", help="The number of people.")] = 50_000,
    folder: Annotated[Path, typer.Option("--folder", metavar="FOLDER", help="The folder for the files.")] = Path(
        "demo"
    ),
) -> None:
    """Make up a census, anonymize it and show the result."""
    from sfumato.api.policy import Policy
    from sfumato.cli.files import ReleaseFiles
    from sfumato.datasets import census
    from sfumato.privacy import KAnonymity, LDiversity

    if is_watched():
        say(f"Making up {rows:,} people …")
    people = census(rows)
    files = ReleaseFiles(
        str(folder / f"{people.name}.csv"), folder / "release.csv", folder / "manifest.json", folder / "policy.toml"
    )
    _refuse_existing(people, files, folder)
    people.write(folder, "csv")
    policy = Policy(_schema(people, folder), [KAnonymity(10), LDiversity(3)])
    release, _ = make(policy, files, progress=is_watched())
    parts = [
        _titled(f"Before ({len(SHOWN_COLUMNS)} of {people.table.num_columns} columns)", _rows(people.table)),
        _titled("After (rows are shuffled, so these are other people)", _rows(release.table)),
        _titled("Release", wrapped(release.summary())),
        _titled("Files", _files(files, folder)),
        _titled("The same by hand", _command(files, folder)),
    ]
    answer("\n\n".join(parts))


def _refuse_existing(people: Dataset, files: ReleaseFiles, folder: Path) -> None:
    """Refuse a folder that has any of the files already, before the first is written."""
    from sfumato.io.atomic import refuse_existing_file

    instead = f"Name another --folder, or add --force {shlex.quote(str(folder))} to overwrite the files of this one."
    listed = [folder / f"{people.name}_hierarchy_{name}.csv" for name in people.hierarchies]
    for path in (Path(files.place), *listed, *files.written().values()):
        refuse_existing_file(path, instead)


def _schema(people: Dataset, folder: Path) -> Schema:
    """Declare the roles of the census; its taxonomies come from the files just written, as a user's would."""
    from sfumato.hierarchies import Taxonomy
    from sfumato.table.schema import Schema

    declared: dict[str, Declared] = {}
    for name in people.quasi_identifiers:
        hierarchy = people.hierarchies.get(name)
        path = folder / f"{people.name}_hierarchy_{name}.csv"
        declared[name] = Taxonomy.read(path) if isinstance(hierarchy, Taxonomy) else hierarchy
    return Schema(declared, sensitive=people.sensitive)


def _titled(title: str, text: str) -> str:
    return f"{title}\n{'-' * len(title)}\n{text}"


def _rows(table: pa.Table) -> str:
    some = table.select(SHOWN_COLUMNS).slice(0, SHOWN_ROWS).to_pylist()
    return aligned(SHOWN_COLUMNS, [list(row.values()) for row in some])


def _command(files: ReleaseFiles, folder: Path) -> str:
    words = ["sfumato", "anonymize", files.place, "-o", folder / "again.csv", "--policy", files.policy]
    return shlex.join(map(str, words))


def _files(files: ReleaseFiles, folder: Path) -> str:
    lines = {
        "the table": files.place,
        "its hierarchies": folder / "census_hierarchy_*.csv",
        "the release": files.output,
        "how it was made": files.manifest,
        "the policy": files.policy,
    }
    return aligned(["", ""], [[name, path] for name, path in lines.items()]).lstrip("\n ")
