"""Apply a preset before anything else: it drops what it forbids, and coarsens dates, ages and zip codes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.assess.meaning.names import read_name
from sfumato.assess.meaning.recognise import Recognised, recognise
from sfumato.common.progress import Tell, silent
from sfumato.errors import CautionError, SchemaError, listed
from sfumato.hierarchies import Numeric, Ordered, Prefix, Taxonomy
from sfumato.io import Remark, Source
from sfumato.run.presets.detail import (
    as_texts,
    earliest_year,
    has_short_years,
    is_a_date,
    oldest_last,
    ranges_of,
    reads_as_ages,
    short_zip,
    top_coded,
    year_of_birth,
    year_shown,
)
from sfumato.run.presets.left_over import left_over
from sfumato.run.presets.preset import AgeRule, DateRule, Preset
from sfumato.table.schema import Declared, Schema
from sfumato.verify.verification import Verification

if TYPE_CHECKING:
    from sfumato.run.request import Request

Recoder = Callable[[pa.ChunkedArray], pa.ChunkedArray]

#: Kinds of the recogniser that are dates.
DATES, BIRTHS = frozenset({"date", "birth", "year of birth"}), frozenset({"birth", "year of birth"})
#: What is said of a column that a closed preset did not understand.
NOT_UNDERSTOOD = "something not understood, by its name and its values"
PSEUDONYMS = "pseudonyms of an identifier, (c) of the rule allows codes that are not derived from it"
UNREADABLE = {"age": "ages that cannot be read", "date": "dates that cannot be read as dates"}


@dataclass(frozen=True)
class Adapted:
    """A table and its roles, adapted to a preset.

    Attributes
    ----------
    dropped
        The columns that are not released, and what each looks like.
    recoded
        The columns that lost detail, and how.
    confirmed
        The columns that were confirmed by hand, and what each looks like.
    """

    source: Source
    schema: Schema
    dropped: Mapping[str, str] = field(default_factory=dict)
    recoded: Mapping[str, str] = field(default_factory=dict)
    confirmed: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Change:
    """How a column is recoded: a description, the new values, and how these generalize."""

    how: str
    recode: Recoder
    hierarchy: Callable[[Declared], Declared]
    as_text: bool = False


class RecodedSource(Source):
    """A source that recodes some of its columns."""

    def __init__(self, inner: Source, changes: Mapping[str, _Change]) -> None:
        self.inner, self.changes = inner, changes
        self.columns, self.kind = inner.columns, inner.kind
        self.labels, self.value_labels = inner.labels, inner.value_labels

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """What was guessed or left out when the table itself was opened and read."""
        return self.inner.remarks

    def read(
        self,
        columns: Sequence[str],
        as_text: Collection[str] = (),
        tell: Tell = silent,
        na: Mapping[str, Collection[str]] | None = None,
    ) -> pa.Table:
        texts = {name for name in as_text if name not in self.changes}
        texts |= {name for name in columns if name in self.changes and self.changes[name].as_text}
        table = self.inner.read(columns, texts, tell, na)
        for at, name in enumerate(columns):
            if name in self.changes:
                table = table.set_column(at, name, self.changes[name].recode(table.column(at)))
        return table

    def _read(self, columns: Sequence[str], as_text: frozenset[str], tell: Tell) -> pa.Table:
        return self.read(columns, as_text, tell)

    def to_native(self, table: pa.Table) -> object:
        return self.inner.to_native(table)

    def place(self, row: int) -> str:
        return self.inner.place(row)


def adapted(
    preset: Preset,
    source: Source,
    schema: Schema,
    confirmed: Collection[str] = (),
    na: Mapping[str, Collection[str]] | None = None,
    made: Mapping[str, str] | None = None,
) -> Adapted:
    """Find the columns that a preset forbids to release, and those that it coarsens.

    A column with a declared role that is forbidden, or under a closed preset not understood, stops the release unless
    it is confirmed; others are dropped. If no quasi-identifier is declared, the coarsened columns become the
    quasi-identifiers. ``made`` has the columns that transformations will make, and the kind of each transformation.
    """
    if not preset.recodes:
        return Adapted(source, schema)
    looked = _released(source, schema)
    zips = [name for name in looked if preset.zips is not None and _is_zip(preset, name)]
    table = source.read(looked, zips, na=na)
    seen = {name: recognise(name, table.column(name)) for name in looked}
    changes = {name: change for name in looked if (change := _change(preset, seen[name], name, table.column(name)))}
    changes |= _made_ages(preset, made or {})
    open_to = {
        name: what for name in looked if name not in changes and (what := _forbidden(preset, name, seen[name], table))
    }
    by_hand = {name: what for name, what in open_to.items() if name in confirmed and what not in UNREADABLE.values()}
    found = {name: what for name, what in open_to.items() if name not in by_hand}
    declared = {name: what for name, what in found.items() if name in schema.declared()}
    if declared:
        raise CautionError(_refusal(preset, declared))
    schema = _with_hierarchies(schema, changes).with_identifiers(list(found))
    recoded = {name: one.how for name, one in changes.items()}
    return Adapted(RecodedSource(source, changes), schema, found, recoded, by_hand)


def apply_preset(source: Source, request: Request) -> tuple[Source, Request, dict[str, Any]]:
    """Adapt a table and a request to the preset of the request, and say for the manifest what it did."""
    preset = request.rules
    made = {name: how.kind for name, how in request.transform.items() if how.derives}
    found = adapted(preset, source, request.schema, request.confirm, request.na, made)
    if both := [name for name in request.transform if name in found.recoded and name in source.columns]:
        raise SchemaError(
            f"{preset.title} recodes {listed(both)} itself, so that no transformation can be applied to it as well. "
            "Leave that transformation out."
        )
    replaced = dict.fromkeys(request.pseudonymize, PSEUDONYMS) if preset.closed else {}
    if open_ones := {name: what for name, what in replaced.items() if name not in request.confirm}:
        raise CautionError(_refusal(preset, open_ones))
    done: dict[str, Any] = {
        "name": preset.name,
        "title": preset.title,
        "dropped": dict(found.dropped),
        "recoded": dict(found.recoded),
        "confirmed": {**found.confirmed, **replaced},
    }
    if preset.zips is not None and preset.zips.census is not None:
        done["census"] = preset.zips.census
    return found.source, request.with_schema(found.schema), {"preset": done}


def after_transformations(source: Source, table: pa.Table, request: Request) -> pa.Table:
    """Coarsen what transformations made, and refuse what the preset forbids among it."""
    preset = request.rules
    changes = source.changes if isinstance(source, RecodedSource) else {}
    if not preset.recodes:
        return table
    for name in request.transform:
        if name in changes and name not in source.columns:
            at = table.column_names.index(name)
            table = table.set_column(at, name, changes[name].recode(table.column(name)))
    new = [name for name in request.transform if name not in changes and name not in request.confirm]
    seen = {name: recognise(name, table.column(name)) for name in new if name in table.column_names}
    found = {name: what for name, one in seen.items() if (what := _forbidden(preset, name, one, table))}
    if found:
        raise CautionError(_refusal(preset, found))
    return table


def recoded_like(source: Source | None, other: Source) -> Source:
    """Recode another table of the same columns as a source is recoded."""
    return RecodedSource(other, source.changes) if isinstance(source, RecodedSource) else other


def with_left_over(result: Verification, request: Request, source: Source, made: bool = False) -> Verification:
    """Add to a verification what a released table still shows that the preset of the request forbids."""
    if not request.rules.recodes:
        return result
    table = source.read(source.columns, source.columns)
    texts = pa.table({name: as_texts(table.column(name)) for name in table.column_names})
    ages = [name for name, how in request.transform.items() if how.kind == "age"]
    found = left_over(request.rules, texts, request.confirm, ages, made)
    return replace(result, checks=(*result.checks, *found))


def _released(source: Source, schema: Schema) -> list[str]:
    """List the columns that would be released."""
    kept = {*schema.quasi_identifiers, *schema.sensitive, *schema.plain}
    never = {*schema.identifiers, schema.person, schema.survey_weights}
    return [name for name in source.columns if name not in never and (name in kept or schema.rest != "drop")]


def _is_zip(preset: Preset, name: str) -> bool:
    return preset.zips is not None and (read_name(name).kind == "zip" or preset.zips.fits(name))


def _change(preset: Preset, seen: Recognised, name: str, column: pa.ChunkedArray) -> _Change | None:
    """Find how a preset coarsens a column; None if it does not."""
    zips, ages, dates = preset.zips, preset.ages, preset.dates
    if zips is not None and _is_zip(preset, name):
        low = zips.hidden
        return _Change("three digits", lambda one: short_zip(one, low), _zips, as_text=True)
    if ages is not None and (seen.kind == "age" or ages.fits(name)):
        return _top_coded(ages, name, column)
    return None if dates is None else _as_years(preset, dates, seen, name, column)


def _top_coded(rule: AgeRule, name: str, column: pa.ChunkedArray) -> _Change | None:
    """Top-code a column of ages; None if some value cannot be read."""
    per_year = 12 if read_name(name).says("month", "months") else 1
    if not reads_as_ages(column, rule.oldest, per_year):
        return None
    if per_year > 1:
        return _Change(
            f"{rule.oldest + 1} years and older as one", lambda one: top_coded(one, rule.oldest, per_year), _same
        )
    order = _with_others(oldest_last(rule.oldest), top_coded(column, rule.oldest))
    return _ages_change(rule.oldest, order)


def _ages_change(oldest: int, order: Sequence[str]) -> _Change:
    how = f"{oldest + 1} and older as one"
    return _Change(how, lambda one: top_coded(one, oldest), lambda declared: _ages(declared, order, oldest))


def _made_ages(preset: Preset, made: Mapping[str, str]) -> dict[str, _Change]:
    """Top-code the ages that transformations will make."""
    if preset.ages is None:
        return {}
    return {
        name: _ages_change(preset.ages.oldest, oldest_last(preset.ages.oldest))
        for name, kind in made.items()
        if kind == "age"
    }


def _zips(declared: Declared) -> Declared:
    """Three digits are prefixes themselves, whatever was declared of five."""
    return Prefix() if declared is None or isinstance(declared, Prefix) else declared


def _same(declared: Declared) -> Declared:
    return declared


def _as_years(preset: Preset, rule: DateRule, seen: Recognised, name: str, column: pa.ChunkedArray) -> _Change | None:
    """Show dates by their years, those that tell of a great age as one group; None if these are no dates."""
    birth = seen.kind in BIRTHS or bool(set(read_name(name).words) & set(rule.birth))
    named = seen.kind in DATES or rule.fits(name)
    is_year = birth or "year" in seen.name.topics
    if not (named or is_year) or not is_a_date(column, named, is_year) or (birth and has_short_years(column)):
        return None
    last = date.today().year - (preset.ages.oldest + 1 if preset.ages is not None else 90)
    if not birth and earliest_year(column) > last:
        return None if seen.harmless else _Change("years", year_shown, lambda _: None)
    order = [f"{last} or before", *map(str, range(last + 1, date.today().year + 1))]
    order = _with_others(order, year_of_birth(column, last))
    return _Change("years", lambda one: year_of_birth(one, last), lambda _: Ordered(order))


def _forbidden(preset: Preset, name: str, seen: Recognised, table: pa.Table) -> str:
    """Say why a preset forbids to release a column that it does not coarsen; empty if it does not."""
    if preset.ages is not None and seen.kind == "age":
        return UNREADABLE["age"]
    if preset.dates is not None and (seen.kind in DATES or preset.dates.fits(name)):
        return "dates beside other values" if seen.by_values and seen.name.kind not in DATES else UNREADABLE["date"]
    for one in preset.identifiers:
        if seen.kind in one.kinds or one.fits(name) or _has(table.column(name), one.pattern):
            return one.what
    return NOT_UNDERSTOOD if preset.closed and seen.harmless is None else ""


def _has(column: pa.ChunkedArray, pattern: str | None) -> bool:
    return bool(pattern) and bool(pc.any(pc.match_substring_regex(as_texts(column).unique(), pattern)).as_py())


def _with_others(order: Sequence[str], shown: pa.ChunkedArray) -> list[str]:
    """Extend an order by the values of a column that it lacks."""
    return [*order, *sorted(set(shown.drop_null().unique().to_pylist()) - set(order))]


def _ages(declared: Declared, order: Sequence[str], oldest: int) -> Declared:
    """Make the hierarchy of top-coded ages: as declared, in whole years."""
    if isinstance(declared, Numeric) and declared.widths:
        widths = [int(width) for width in declared.widths if width >= 1]
        return Taxonomy([ranges_of(age, widths, oldest) for age in order])
    return Ordered(order) if declared is None or isinstance(declared, Numeric) else declared


def _with_hierarchies(schema: Schema, changes: Mapping[str, _Change]) -> Schema:
    """Give coarsened columns hierarchies that fit their new values."""
    taken = {*schema.sensitive, *schema.plain}
    given = schema.quasi_identifiers or {name: None for name in changes if name not in taken}
    hierarchies = {name: changes[name].hierarchy(how) if name in changes else how for name, how in given.items()}
    roles = (hierarchies, schema.sensitive, schema.identifiers, schema.plain, schema.rest, schema.weights)
    return Schema(*roles, schema.person, schema.survey_weights)


def _refusal(preset: Preset, declared: Mapping[str, str]) -> str:
    looks = "; ".join(f"{listed([name])}: {what}" for name, what in declared.items())
    sure = [name for name, what in declared.items() if what not in UNREADABLE.values()]
    confirm = (
        f" If a column is none of what the rule forbids, confirm it by name, which the manifest, the report and the "
        f"certificate will say: confirm={sure} (on the command line: --confirm)."
    )
    return (
        f"{preset.title}: columns that are to be released are forbidden, or were not understood. {looks}. Declare them "
        f"as identifiers, which are never released (on the command line: --identifiers).{confirm if sure else ''}"
    )
