"""Apply a preset before anything else: it drops identifiers, and coarsens dates, ages and zip codes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.common.progress import Tell, silent
from sfumato.errors import CautionError, listed
from sfumato.hierarchies import Numeric, Ordered, Prefix, Taxonomy
from sfumato.io import Source, open_source
from sfumato.run.presets.detail import (
    as_texts,
    is_a_date,
    oldest_last,
    ranges_of,
    short_zip,
    top_coded,
    year_of_birth,
    year_shown,
)
from sfumato.run.presets.preset import Preset, words
from sfumato.table.schema import Declared, Schema
from sfumato.verify.verification import RuleCheck, Verification

if TYPE_CHECKING:
    from sfumato.run.request import Request

Recoder = Callable[[pa.ChunkedArray], pa.ChunkedArray]

#: What a released file must not show, by kind of column: independent of the code that recodes it.
FINER = {
    "zips": r"^\D*\d{4}",
    "dates": r"\d{4}[-/.]\d|\d[-/.]\d{4}|Q[1-4]|^\d{8}$",
    "ages": r"(^|\D)(9\d|\d{3,})($|[^\d+])",
}


#: A written date, whatever the name of its column and the text around it.
WRITTEN_DATE = r"\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}[./]\d{1,2}[./]\d{4}\b|^\d{4}-\d{2}$"


@dataclass(frozen=True)
class Adapted:
    """A table and its roles, adapted to a preset.

    Attributes
    ----------
    dropped
        The columns that are not released, and what each looks like.
    recoded
        The columns that lost detail, and how.
    """

    source: Source
    schema: Schema
    dropped: Mapping[str, str] = field(default_factory=dict)
    recoded: Mapping[str, str] = field(default_factory=dict)


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
) -> Adapted:
    """Find the columns that a preset forbids to release, and those that it coarsens.

    A column with a declared role that looks like an identifier stops the release unless it is confirmed; others are
    dropped. If no quasi-identifier is declared, the coarsened columns become the quasi-identifiers.
    """
    if not preset.recodes:
        return Adapted(source, schema)
    looked = _released(source, schema)
    zips = [name for name in looked if preset.zips is not None and preset.zips.fits(name)]
    table = source.read(looked, zips, na=na)
    changes = {name: change for name in looked if (change := _change(preset, name, table.column(name))) is not None}
    judged = {*changes, *confirmed}
    found = {name: what for name in looked if name not in judged and (what := _looks_like(preset, name, table))}
    declared = {name: what for name, what in found.items() if name in schema.declared()}
    if declared:
        raise CautionError(_refusal(preset, declared))
    schema = _with_hierarchies(schema, changes).with_identifiers(list(found))
    return Adapted(RecodedSource(source, changes), schema, found, {name: one.how for name, one in changes.items()})


def apply_preset(source: Source, request: Request) -> tuple[Source, Request, dict[str, Any]]:
    """Adapt a table and a request to the preset of the request, and say for the manifest what it did."""
    preset = request.rules
    found = adapted(preset, source, request.schema, request.confirm, request.na)
    done = {"name": preset.name, "title": preset.title, "dropped": dict(found.dropped), "recoded": dict(found.recoded)}
    return found.source, request.with_schema(found.schema), {"preset": done}


def recoded_original(original: object, manifest: Mapping[str, Any], separator: str | None) -> object:
    """Recode an original as the preset of its release did, by the release's manifest."""
    done = manifest.get("preset", {})
    if not done.get("recoded"):
        return original
    source = open_source(original, separator=separator)
    others = [name for name in source.columns if name not in done["recoded"]]
    return adapted(Preset.named(manifest["options"]["preset"]), source, Schema(rest="plain"), others).source


def recoded_like(source: Source | None, other: Source) -> Source:
    """Recode another table of the same columns as a source is recoded."""
    return RecodedSource(other, source.changes) if isinstance(source, RecodedSource) else other


def with_left_over(result: Verification, request: Request, source: Source) -> Verification:
    """Add to a verification what a released table still shows that the preset of the request forbids."""
    return replace(result, checks=(*result.checks, *left_over(request.rules, source, request.confirm)))


def left_over(preset: Preset, source: Source, confirmed: Collection[str] = ()) -> Iterator[RuleCheck]:
    """Yield what a released table still shows that a preset forbids; a confirmed column is no identifier."""
    if not preset.recodes:
        return
    table = source.read(source.columns, source.columns)
    rules = {"zips": preset.zips, "ages": preset.ages, "dates": preset.dates}
    for name in source.columns:
        texts = as_texts(table.column(name))
        kinds = [kind for kind, rule in rules.items() if rule is not None and rule.fits(name)]
        if not kinds and preset.dates is not None and pc.any(pc.match_substring_regex(texts, WRITTEN_DATE)).as_py():
            kinds = ["dates"]
        what = "" if kinds or name in confirmed else _looks_like(preset, name, table)
        if what:
            yield _broken(preset, what, name, len(texts))
        for kind in kinds[:1]:
            finer = pc.sum(pc.match_substring_regex(texts, FINER[kind])).as_py() or 0
            yield _broken(preset, f"{kind} without forbidden detail", name, finer)


def _broken(preset: Preset, what: str, name: str, count: int) -> RuleCheck:
    return RuleCheck(f"{preset.title}: {what}", name, 0, float(count), "such values", count, units="values")


def _released(source: Source, schema: Schema) -> list[str]:
    """List the columns that would be released."""
    kept = {*schema.quasi_identifiers, *schema.sensitive, *schema.plain}
    never = {*schema.identifiers, schema.person, schema.survey_weights}
    return [name for name in source.columns if name not in never and (name in kept or schema.rest != "drop")]


def _change(preset: Preset, name: str, column: pa.ChunkedArray) -> _Change | None:
    """Find how a preset coarsens a column; None if it does not."""
    zips, ages, dates = preset.zips, preset.ages, preset.dates
    if zips is not None and zips.fits(name):
        low = frozenset(zips.low)
        return _Change("three digits", lambda one: short_zip(one, low), lambda how: how or Prefix(), as_text=True)
    if ages is not None and ages.fits(name):
        oldest, shown = ages.oldest, top_coded(column, ages.oldest)
        order = _with_others(oldest_last(oldest), shown)
        how = f"{oldest + 1} and older as one"
        return _Change(how, lambda one: top_coded(one, oldest), lambda how: _ages(how, order, oldest))
    if dates is None or not is_a_date(column, named=dates.fits(name), is_year=_is_year_of_birth(dates.birth, name)):
        return None
    if set(words(name)) & set(dates.birth):
        youngest = date.today().year - (ages.oldest + 1 if ages is not None else 90)
        order = [f"{youngest} or before", *map(str, range(youngest + 1, date.today().year + 1))]
        order = _with_others(order, year_of_birth(column, youngest))
        return _Change("years", lambda one: year_of_birth(one, youngest), lambda _: Ordered(order))
    return _Change("years", year_shown, lambda _: None)


def _is_year_of_birth(birth: Sequence[str], name: str) -> bool:
    said = set(words(name))
    return bool(said & set(birth)) and bool(said & {"year", "yr", "yob"})


def _with_others(order: Sequence[str], shown: pa.ChunkedArray) -> list[str]:
    """Extend an order by the values of a column that it lacks."""
    return [*order, *sorted(set(shown.drop_null().unique().to_pylist()) - set(order))]


def _ages(declared: Declared, order: Sequence[str], oldest: int) -> Declared:
    """Make the hierarchy of top-coded ages: as declared, in whole years."""
    if isinstance(declared, Numeric) and declared.widths:
        widths = [int(width) for width in declared.widths if width >= 1]
        return Taxonomy([ranges_of(age, widths, oldest) for age in order])
    return Ordered(order) if declared is None or isinstance(declared, Numeric) else declared


def _looks_like(preset: Preset, name: str, table: pa.Table) -> str:
    """Say which identifier a column looks like, by its name or by some value; empty if none."""
    if preset.dates is not None and preset.dates.fits(name):
        return "dates that cannot be read as dates"
    # The first word decides: an email_address is an e-mail, not an address.
    named = [(place, one.what) for one in preset.identifiers if (place := one.place(name)) is not None]
    by_name = min(named, key=itemgetter(0), default=(0, ""))[1]
    if by_name or not _is_text(table.column(name).type):
        return by_name
    texts = as_texts(table.column(name)).unique()
    if preset.dates is not None and pc.any(pc.match_substring_regex(texts, WRITTEN_DATE)).as_py():
        return "dates beside other values"
    for one in preset.identifiers:
        if one.pattern and pc.any(pc.match_substring_regex(texts, one.pattern)).as_py():
            return one.what
    return ""


def _is_text(kind: pa.DataType) -> bool:
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


def _with_hierarchies(schema: Schema, changes: Mapping[str, _Change]) -> Schema:
    """Give coarsened columns hierarchies that fit their new values."""
    taken = {*schema.sensitive, *schema.plain}
    given = schema.quasi_identifiers or {name: None for name in changes if name not in taken}
    hierarchies = {name: changes[name].hierarchy(how) if name in changes else how for name, how in given.items()}
    roles = (hierarchies, schema.sensitive, schema.identifiers, schema.plain, schema.rest, schema.weights)
    return Schema(*roles, schema.person, schema.survey_weights)


def _refusal(preset: Preset, declared: Mapping[str, str]) -> str:
    looks = "; ".join(f"{listed([name])}: {what}" for name, what in declared.items())
    return (
        f"{preset.title}: columns that are to be released look like identifiers. {looks}. Declare them as identifiers, "
        f"which are never released (on the command line: --identifiers). If a column is none, confirm it: "
        f"confirm={list(declared)} (on the command line: --confirm)."
    )
