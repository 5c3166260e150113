"""``sfumato risk``: what a table is worth to an attacker, in words or for a program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.api.risk import risk
from sfumato.assess.risk.drivers import Drivers
from sfumato.assess.risk.report import Risk
from sfumato.assess.risk.special_uniques import SpecialUniques
from sfumato.cli.options import Asked
from sfumato.cli.request import Given, opened
from sfumato.cli.screen import aligned, answer, answer_json, wrapped
from sfumato.errors import SchemaError
from sfumato.table.schema import Declared, Schema

#: Combinations of columns that are shown to people; programs get them all.
COMBINATIONS_SHOWN = 10


@dataclass(frozen=True)
class Beyond:
    """What is known and asked beyond the table's own rows."""

    population: str | None = None
    weights: str | None = None
    thresholds: Sequence[float] = ()
    drivers: bool = False
    uniques: int | None = None

    @property
    def whole(self) -> Path | float | None:
        """The population: a file of people, or a number."""
        if self.population is None:
            return None
        try:
            return float(self.population)
        except ValueError:
            return Path(self.population)


def known_columns(schema: Schema) -> Mapping[str, Declared]:
    """Return the columns that an attacker may know, or say how to name them."""
    if not schema.quasi_identifiers:
        raise SchemaError("Name the columns that an attacker may know with --qi COLUMN or --policy FILE.")
    return schema.quasi_identifiers


def show_risk(asked: Asked, given: Given, beyond: Beyond, as_json: bool) -> None:
    """Answer with the risk of a table."""
    with opened(given, asked) as (source, policy):
        found = risk(
            source,
            quasi_identifiers=known_columns(policy.schema),
            sensitive=policy.schema.sensitive,
            population=beyond.whole,
            weights=beyond.weights or policy.schema.survey_weights,
            person=policy.schema.person,
            thresholds=beyond.thresholds,
            separator=policy.separator,
        )
    uniques = None if beyond.uniques is None else found.special_uniques(beyond.uniques)
    if as_json:
        answer_json(_plain(found, beyond.drivers, uniques))
    else:
        answer("\n".join(_shown(found, beyond.drivers, uniques)))


def _plain(found: Risk, drivers: bool, uniques: SpecialUniques | None) -> dict[str, Any]:
    more = {"drivers": found.drivers.to_dict()} if drivers else {}
    return found.to_dict() | more | ({} if uniques is None else {"special_uniques": uniques.to_dict()})


def _shown(found: Risk, drivers: bool, uniques: SpecialUniques | None) -> Iterator[str]:
    yield wrapped(found.summary())
    if drivers:
        yield from _drivers(found.drivers)
    if uniques is not None:
        yield from _uniques(uniques)


def _drivers(drivers: Drivers) -> Iterator[str]:
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


def _uniques(uniques: SpecialUniques) -> Iterator[str]:
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
