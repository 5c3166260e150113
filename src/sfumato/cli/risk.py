"""``sfumato risk``: how likely people in a table are to be re-identified."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli import options
from sfumato.cli.screen import aligned, answer, answer_json, say, wrapped

if TYPE_CHECKING:
    from sfumato.assess.risk.drivers import Drivers
    from sfumato.assess.risk.report import Risk
    from sfumato.assess.risk.special_uniques import SpecialUniques

Population = Annotated[
    str | None,
    typer.Option(
        "--population",
        metavar="FILE|NUMBER",
        help="The population the table was drawn from: a file, the number of people, or (below 1) the share drawn.",
    ),
]
Weights = Annotated[
    str | None,
    typer.Option("--weights", metavar="COLUMN", help="How many people of the population each row stands for."),
]
Thresholds = Annotated[
    list[float] | None,
    typer.Option(
        "--threshold", metavar="RISK", help="Also report the share of people above this risk, such as 0.09 (repeat)."
    ),
]
UniquesUpTo = Annotated[
    int | None,
    typer.Option(
        "--uniques", metavar="N", help="Also count the people who are unique by at most N columns, with SUDA scores."
    ),
]
WithDrivers = Annotated[bool, typer.Option("--drivers", help="Also say which columns drive the risk.")]

#: The most combinations of columns that are printed; JSON holds all of them.
COMBINATIONS_SHOWN = 10


@options.takes(only={"quasi_identifiers", "sensitive", "person", "hierarchies", "policy"} | options.FILE)
def risk(
    place: options.Place,
    asked: options.Asked,
    table: options.Table = None,
    read_as: options.From = None,
    population: Population = None,
    weights: Weights = None,
    threshold: Thresholds = None,
    drivers: WithDrivers = False,
    uniques: UniquesUpTo = None,
    as_json: options.AsJson = False,
) -> None:
    """Measure how likely people in a table are to be re-identified, and which columns drive that.

    For example: sfumato risk patients.csv --qi age --qi zip --sensitive disease --drivers
    """
    from sfumato.api.risk import risk as assess
    from sfumato.cli.table import Input, columns_of, known_columns, print_remarks, roles_and_reading
    from sfumato.io import open_source

    data = Input(place, read_as, table).open(asked)
    schema, reading = roles_and_reading(asked, columns_of(data, asked))
    source = open_source(data, **vars(reading))
    found = assess(
        source,
        quasi_identifiers=known_columns(schema),
        sensitive=schema.sensitive,
        population=_file_or_number(population),
        weights=weights or schema.survey_weights,
        person=_person(schema.person, asked, source.columns),
        thresholds=threshold or (),
        separator=reading.separator,
    )
    print_remarks(source)
    special = None if uniques is None else found.special_uniques(uniques)
    if as_json:
        answer_json(_record(found, drivers, special))
    else:
        answer("\n".join(_lines(found, drivers, special)))


def _person(name: str | None, asked: options.Asked, columns: Sequence[str]) -> str | None:
    """The column of people; a release does not show the one that its policy names, so that its rows are counted."""
    if name is None or name in columns or asked.person is not None:
        return name
    say(f"The policy counts people by '{name}', which this file does not show, as no release does: rows are counted.")
    return None


def _file_or_number(population: str | None) -> Path | float | None:
    if population is None:
        return None
    try:
        return float(population)
    except ValueError:
        return Path(population)


def _record(found: Risk, drivers: bool, uniques: SpecialUniques | None) -> dict[str, Any]:
    more = {"drivers": found.drivers.to_dict()} if drivers else {}
    return found.to_dict() | more | ({} if uniques is None else {"special_uniques": uniques.to_dict()})


def _lines(found: Risk, drivers: bool, uniques: SpecialUniques | None) -> Iterator[str]:
    yield wrapped(found.summary())
    if drivers:
        yield from _lines_about_drivers(found.drivers)
    if uniques is not None:
        yield from _lines_about_uniques(uniques)


def _lines_about_drivers(drivers: Drivers) -> Iterator[str]:
    yield f"\nWithout one column (coarsen '{drivers.first_to_coarsen}' first):"
    header = ["without", "mean risk", "unique"]
    yield aligned(header, [[name, f"{rest.mean:.3f}", f"{rest.unique:.1%}"] for name, rest in drivers.without])
    yield "\nWhat columns tell apart:"
    rows = [*drivers.columns, *drivers.combinations[:COMBINATIONS_SHOWN]]
    header = ["columns", "distinction", "separation", "unique"]
    yield aligned(
        header,
        [
            [", ".join(one.columns), f"{one.distinction:.4f}", f"{one.separation:.4f}", f"{one.unique:.1%}"]
            for one in rows
        ],
    )
    if drivers.examined < drivers.possible:
        yield f"{drivers.examined:,} of {drivers.possible:,} combinations were looked at."


def _lines_about_uniques(uniques: SpecialUniques) -> Iterator[str]:
    yield f"\n{uniques.people:,} people are unique by at most {uniques.size} columns:"
    header = ["columns", "people", "share of the score"]
    yield aligned(
        header,
        [
            [", ".join(names), f"{count:,}", ", ".join(f"{uniques.contribution[name]:.0%}" for name in names)]
            for names, count in uniques.by_columns
        ],
    )
    if uniques.examined < uniques.possible:
        yield f"{uniques.examined:,} of {uniques.possible:,} sets of columns were looked at; larger sets were left out."
