"""``sfumato demo``: from a made-up census to its release, with everything on the way left to look at."""

from __future__ import annotations

import shlex
from pathlib import Path

import pyarrow as pa

from sfumato.api.policy import Policy
from sfumato.cli.anonymize import make
from sfumato.cli.files import Files
from sfumato.cli.screen import aligned, answer, is_watched, say, wrapped
from sfumato.datasets import Dataset, census
from sfumato.hierarchies import Taxonomy
from sfumato.privacy import KAnonymity, LDiversity
from sfumato.table.schema import Declared, Schema

#: What is shown before and after: as much as a narrow screen holds.
SHOWN_ROWS = 5
SHOWN_COLUMNS = ["age", "gender", "education", "marital_status", "country", "occupation"]


def run(rows: int, folder: Path) -> None:
    """Make a census and a policy, run one on the other, and tell about it."""
    if is_watched():
        say(f"Making up {rows:,} people …")
    people = census(rows)
    table = people.write(folder, "csv")
    policy = Policy(_schema(people, folder), [KAnonymity(10), LDiversity(3)])
    files = Files(str(table), folder / "release.csv", folder / "manifest.json", folder / "policy.toml")
    release, _ = make(policy, files, progress=is_watched())
    parts = [
        _titled(f"Before ({len(SHOWN_COLUMNS)} of {people.table.num_columns} columns)", _rows(people.table)),
        _titled("After (rows are shuffled, so these are other people)", _rows(release.table)),
        _titled("Release", wrapped(release.summary())),
        _titled("Files", _files(files, folder)),
        _titled("The same by hand", _command(files)),
    ]
    answer("\n\n".join(parts))


def _schema(people: Dataset, folder: Path) -> Schema:
    """Return the roles of the census; taxonomies come from the files that were just written, as a user's would."""
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


def _command(files: Files) -> str:
    words = ["sfumato", "anonymize", files.place, "-o", files.output, "--policy", files.policy]
    return shlex.join(map(str, words))


def _files(files: Files, folder: Path) -> str:
    lines = {
        "the table": files.place,
        "its hierarchies": folder / "census_hierarchy_*.csv",
        "the release": files.output,
        "how it was made": files.manifest,
        "the policy": files.policy,
    }
    return aligned(["", ""], [[name, path] for name, path in lines.items()]).lstrip("\n ")
