"""The commands and their options. Each imports what it needs when it runs, so that help comes at once."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from sfumato import __version__
from sfumato.cli import options as given
from sfumato.cli import questions, starting
from sfumato.cli.exits import MEANING, end_cleanly_when_terminated, explained
from sfumato.cli.parser import Command, Group, only_named
from sfumato.cli.screen import answer

app = typer.Typer(
    name="sfumato",
    cls=Group,
    help="Publish tables about people so that nobody in them can be singled out.",
    epilog=MEANING,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)

#: Makes a command of a function.
command = partial(app.command, cls=Command)

#: What is asked of a table that somebody made.
CHECKED = {"quasi_identifiers", "sensitive", "person", "k", "l", "t", "privacy", "preset"}
CHECKED |= given.FILE | {"confirm", "policy", "engine", "memory", "temporary"}
#: What two tables are made by: no method, and no hierarchies, as nothing is generalized.
TWO_TABLES = {"quasi_identifiers", "sensitive", "identifiers", "plain", "rest", "l", "missing", "seed"}
TWO_TABLES |= given.FILE | {"na", "confirm", "strict", "transform", "sample", "policy"}
#: What makes no difference to the levels that are chosen.
SHOWN = {"refine", "missing", "intervals", "ends", "seed", "keep_order"}
#: Who does the work, and within what.
WORKING = {"engine", "memory", "temporary"}
#: What is about reading a file, and what looks at single rows, which stay in the database.
READING = given.FILE | {"preset", "na", "confirm", "strict", "person", "weights", "transform", "pseudonymize", "sample"}


def run() -> None:
    """Run the command that the user typed."""
    end_cleanly_when_terminated()
    only_named(app, sys.argv[1:])()


def _show_version(wanted: bool) -> None:
    if wanted:
        answer(f"sfumato {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Publish tables about people so that nobody in them can be singled out."""


command(short_help="Say what is in a table, and which role each column should have.")(starting.profile)
command(short_help="Write a policy to begin with, after asking about every column.")(starting.init)


@command(short_help="Anonymize a table; the release is checked before it is written.")
@given.asking()
def anonymize(
    place: given.Place,
    output: given.Output,
    asked: given.Asked,
    table: given.Table = None,
    max_gcp: given.MaxGcp = None,
    maximize: given.Maximize = None,
    read_as: given.From = None,
    write_as: given.To = None,
    save_policy: given.SavePolicy = None,
    manifest: given.ManifestFile = None,
    alternatives: given.Alternatives = None,
    certificate: given.CertificateFile = None,
    report: given.ReportFile = None,
    as_json: given.AsJson = False,
    quiet: given.Quiet = False,
) -> None:
    """Anonymize a table: write a release that keeps every privacy model asked for, checked before it is written.

    For example: sfumato anonymize patients.csv -o release.csv --qi age --qi zip --sensitive disease --identifiers name
    --hierarchy zip=prefix -k 10 -l 3
    """
    with explained():
        from sfumato.cli.anonymize import Goal  # noqa: PLC0415
        from sfumato.cli.anonymize import run as run_command  # noqa: PLC0415
        from sfumato.cli.files import Files  # noqa: PLC0415

        files = Files(place, output, manifest, save_policy, alternatives, read_as, write_as, table, certificate, report)
        run_command(asked, files, as_json=as_json, quiet=quiet, goal=Goal.of(max_gcp, maximize))


@command(short_help="Recode next month's table to the levels of last month's release.")
@given.asking(without={"method", "settings", "minimize", "refine"})
def recode(
    place: given.Place,
    output: given.Output,
    asked: given.Asked,
    like: given.Like = None,
    level: given.Levels = None,
    table: given.Table = None,
    read_as: given.From = None,
    write_as: given.To = None,
    manifest: given.ManifestFile = None,
    as_json: given.AsJson = False,
    quiet: given.Quiet = False,
) -> None:
    """Recode a table to given levels, such as last month's, and write it if the models still hold; exit 1 if not.

    For example: sfumato recode june.csv -o june_release.csv --policy policy.toml --like may_manifest.json
    """
    with explained():
        from sfumato.cli.files import Files  # noqa: PLC0415
        from sfumato.cli.recode import run as run_command  # noqa: PLC0415

        files = Files(place, output, manifest, read_as=read_as, write_as=write_as, table=table)
        run_command(asked, files, like, level or (), as_json=as_json, quiet=quiet)


@command(short_help="Release two tables: exact rows with groups, and the groups' sensitive values.")
@given.asking(only=TWO_TABLES)
def anatomize(
    place: given.Place,
    output: given.Output,
    values: Annotated[
        Path, typer.Option("--values", metavar="OUT", help="The second file to write: the values of every group.")
    ],
    asked: given.Asked,
    table: given.Table = None,
    read_as: given.From = None,
    manifest: given.ManifestFile = None,
    as_json: given.AsJson = False,
    quiet: given.Quiet = False,
) -> None:
    """Release two tables, for comparison: nobody's sensitive value is known, but everybody's row can be found.

    For example: sfumato anatomize patients.csv -o people.csv --values values.csv --qi age --qi zip --sensitive disease
    --identifiers name -l 3
    """
    with explained():
        from sfumato.cli.anatomize import Written  # noqa: PLC0415
        from sfumato.cli.anatomize import run as run_command  # noqa: PLC0415
        from sfumato.cli.request import Given  # noqa: PLC0415

        written = Written(output, values, manifest)
        run_command(asked, Given(place, read_as, table), written, as_json=as_json, quiet=quiet)


@command(short_help="Check any table against privacy models.")
@given.asking(only=CHECKED)
def check(
    place: given.Place,
    asked: given.Asked,
    table: given.Table = None,
    read_as: given.From = None,
    certificate: given.Certified = None,
    as_json: given.AsJson = False,
    quiet: given.Quiet = False,
) -> None:
    """Check any table, whoever made it, and name the rows that break a rule. Exit code 0 if all rules hold, 1 if not.

    Without a rule it reports what the table achieves. For example: sfumato check release.csv --qi age --qi zip
    --sensitive disease -k 10 -l 3
    """
    with explained():
        from sfumato.cli.check import run as run_command  # noqa: PLC0415

        run_command(asked, place, table, certificate, read_as=read_as, as_json=as_json, quiet=quiet)


command(short_help="Measure how likely it is that people in a table are found.")(questions.risk)
command(short_help="Attack a release, as somebody would who knows some columns.")(questions.attack)
command(short_help="Write a report about a release, for the person who signs.")(questions.report)
command(short_help="Measure what is left of a table in its release.")(questions.utility)
command(short_help="Compare methods at several k on one table.")(questions.compare)


@command(short_help="Explain why a release looks as it does, and what other wishes would cost.")
@given.asking(without=SHOWN)
def explain(
    place: given.Place,
    asked: given.Asked,
    table: given.Table = None,
    read_as: given.From = None,
    row: Annotated[
        int | None,
        typer.Option("--row", metavar="N", help="Why this row of the table, counted from 1, looks as it does."),
    ] = None,
    column: Annotated[
        str | None, typer.Option("--column", metavar="COLUMN", help="Only what holds this quasi-identifier back.")
    ] = None,
    what_if: Annotated[
        list[str] | None,
        typer.Option(
            "--what-if",
            metavar="WISH",
            help="What it would cost, by running it: k=20, suppression=0.02 or without=COLUMN (repeat).",
        ),
    ] = None,
    as_json: given.AsJson = False,
) -> None:
    """Explain what holds a release, a column or a row back, and what the next finer or safer release would cost.

    For example: sfumato explain patients.csv --qi age --qi zip --rest drop -k 10 --method mondrian --what-if k=20
    """
    with explained():
        from sfumato.cli.explain import Question  # noqa: PLC0415
        from sfumato.cli.explain import run as run_command  # noqa: PLC0415
        from sfumato.cli.request import Given  # noqa: PLC0415

        run_command(asked, Given(place, read_as, table), Question(row, column, what_if or ()), as_json=as_json)


@command(short_help="Print SQL that makes a full-domain release inside the database.")
@given.asking(without=SHOWN | WORKING | READING)
def sql(
    place: Annotated[
        str, typer.Argument(metavar="IN", help="A Parquet, CSV or DuckDB file, or postgresql://user@host/database.")
    ],
    asked: given.Asked,
    table: given.Table = None,
    release: Annotated[str, typer.Option("--release", metavar="NAME", help="The name of the release.")] = "release",
    kind: Annotated[str, typer.Option("--as", metavar="view|table", help="Make a view or a table.")] = "view",
    create: Annotated[
        bool, typer.Option("--create", help="Also run the SQL in the database, and check the result.")
    ] = False,
) -> None:
    """Find a full-domain release of a table that stays in its database, and print the SQL that makes it there.

    For example: sfumato sql orders.parquet --qi zip --qi day --rest drop --hierarchy zip=prefix -k 10
    """
    with explained():
        from sfumato.cli.sql import run as run_command  # noqa: PLC0415

        run_command(asked, place, table, release, kind, create)


@command()
def methods(as_json: given.AsJson = False) -> None:
    """List the methods and what each guarantees."""
    with explained():
        from sfumato.cli.methods import run as run_command  # noqa: PLC0415

        run_command(as_json=as_json)


@command(short_help="List the presets: what regulations ask for.")
def presets(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Print this one, as a file to change.")] = None,
    as_json: given.AsJson = False,
) -> None:
    """List the presets: what each asks for, its source, what it does not cover. With a name, print its file.

    For example: sfumato presets hipaa-safe-harbor > rules.toml, then sfumato anonymize ... --preset rules.toml
    """
    with explained():
        from sfumato.cli.presets import run as run_command  # noqa: PLC0415

        run_command(name, as_json=as_json)


@command(short_help="Preview the hierarchy of a column, and write it to a file to edit.")
@given.asking(only=given.FILE)
def hierarchy(
    place: given.Place,
    column: Annotated[
        str,
        typer.Argument(
            metavar="COLUMN[=HOW]", help="The column and how to generalize it, such as age=numeric:5,10,20."
        ),
    ],
    asked: given.Asked,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="The file to write, with one line per value."),
    ] = None,
    table: given.Table = None,
    read_as: given.From = None,
    as_json: given.AsJson = False,
) -> None:
    """Show how a column would generalize, whether its hierarchy covers every value, and write it to a file to edit.

    For example: sfumato hierarchy patients.csv age=numeric:5,10,20 -o age.csv
    """
    with explained():
        from sfumato.cli.hierarchy import run as run_command  # noqa: PLC0415
        from sfumato.cli.request import Given  # noqa: PLC0415

        run_command(asked, Given(place, read_as, table), column, output, as_json=as_json)


@command()
def clean(temporary: given.Temporary = None) -> None:
    """Remove the temporary files of runs that were killed."""
    with explained():
        from sfumato.io.temporary import remove_left_folders  # noqa: PLC0415

        removed = remove_left_folders(temporary)
        answer(f"Removed {len(removed)} temporary folder{'' if len(removed) == 1 else 's'} that killed runs left.")


@command()
def demo(
    rows: Annotated[int, typer.Option("--rows", metavar="N", help="The number of people.")] = 50_000,
    folder: Annotated[Path, typer.Option("--folder", metavar="FOLDER", help="The folder for the files.")] = Path(
        "demo"
    ),
) -> None:
    """Make up a census, anonymize it and show the result."""
    with explained():
        from sfumato.cli.demo import run as run_command  # noqa: PLC0415

        run_command(rows, folder)
