"""``sfumato.profile``: what the columns of a table are, and their roles."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pyarrow as pa

from sfumato.assess.meaning.codebooks import topics_by_codebook
from sfumato.assess.meaning.facts import ColumnCounts, all_facts
from sfumato.assess.meaning.meaning import Meaning, meaning_of
from sfumato.assess.meaning.persons import PersonFound
from sfumato.assess.meaning.recognise import recognise
from sfumato.assess.meaning.vocabulary import Topic, labelled_topic, topic_of_numbers, topic_of_words
from sfumato.common.progress import ProgressOption, Tell, reporting, stage
from sfumato.errors import DataError, SourceError
from sfumato.io import Source, open_source
from sfumato.io.missing import EVERY_COLUMN, MissingCodes, missing_codes
from sfumato.profiles.combinations import Searched, search
from sfumato.profiles.context import with_context
from sfumato.profiles.report import ColumnProfile, Profile
from sfumato.profiles.roles import LIKELY, SURE, UNSURE, Suggestion, suggest, suggest_person
from sfumato.run.read import UNNAMED, numbers_rows

#: A column that singles out more rows by itself says nothing in a combination.
ALONE = 0.5


def profile(
    data: object,
    *,
    na: MissingCodes = (),
    separator: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    layout: str | None = None,
    decimal: str | None = None,
    dates: Mapping[str, str] | str | None = None,
    skip: int | None = None,
    progress: ProgressOption = False,
) -> Profile:
    """Profile a table: the meaning of every column, how it singles people out, and the role it should have.

    Parameters
    ----------
    data, na, separator, encoding, sheet, layout, decimal, dates, skip, progress
        As in `anonymize`. Values that usually mean "no value" are found by themselves.

    Returns
    -------
    Profile
        Aggregates and suggestions, without any value of the table. ``profile.schema()`` can be given to `anonymize`.

    Examples
    --------
    >>> import pyarrow as pa, sfumato as sf
    >>> found = sf.profile(pa.table({"e-mail": ["a@b.org", "c@d.org"], "age": [31, 54], "diagnosis": ["J45", "E11"]}))
    >>> found.roles
    {'e-mail': 'identifier', 'age': 'quasi-identifier', 'diagnosis': 'sensitive'}
    """
    source = open_source(
        data,
        separator=separator,
        encoding=encoding,
        sheet=sheet,
        layout=layout,
        decimal=decimal,
        dates=dates,
        skip=skip,
    )
    known = missing_codes("profile", "na", na)
    with reporting(progress, "profile") as report:
        report("reading", 0.0)
        table, unusable = _read(source)
        if not table.num_rows:
            raise DataError("The table has a header and no rows, so there is nothing to describe.")
        report("counting", 0.0)
        facts = all_facts(table, _by_column(known, table.column_names))
        by_codebook = topics_by_codebook(table.column_names)
        columns = [
            _judged(one, table.column(one.name), source.labels.get(one.name), by_codebook.get(one.name))
            for one in facts
        ]
        searched = _search(columns, stage(report, "searching combinations"))
    columns = [replace(one, with_others=searched.with_others.get(one.name)) for one in columns]
    columns = _with_person(with_context(columns))
    columns += [_unusable(name, table.num_rows) for name in unusable]
    ordered = sorted(columns, key=lambda one: source.columns.index(one.name))
    return Profile(table.num_rows, tuple(ordered), searched)


def _by_column(known: Mapping[str, tuple[str, ...]], names: list[str]) -> dict[str, tuple[str, ...]]:
    found = {name: (*known.get(EVERY_COLUMN, ()), *known.get(name, ())) for name in names}
    return {name: codes for name, codes in found.items() if codes}


def _read(source: Source) -> tuple[pa.Table, list[str]]:
    """Read all columns; name those whose type cannot be released."""
    try:
        return source.read(source.columns), []
    except SourceError:
        raise
    except DataError:
        usable: dict[str, pa.ChunkedArray] = {}
        for name in source.columns:
            with suppress(DataError):
                usable[name] = source.read([name]).column(0)
        return pa.table(usable), [name for name in source.columns if name not in usable]


def _judged(
    facts: ColumnCounts, column: pa.ChunkedArray, label: str | None, by_codebook: Topic | None
) -> ColumnProfile:
    if UNNAMED.fullmatch(facts.name) and numbers_rows(column):
        if not facts.different:
            nothing = Suggestion("identifier", "it has neither a name nor values", SURE)
            return ColumnProfile(facts, Meaning("empty", by_values=True), nothing)
        meaning = Meaning("identifier", "row numbers", by_values=True)
        return ColumnProfile(facts, meaning, Suggestion("identifier", "it only numbers the rows", SURE))
    topic = by_codebook or labelled_topic(facts.name, label)
    if by_codebook is None:
        topic = topic_of_numbers(facts, topic) if facts.is_number else topic_of_words(facts, topic)
    if (topic is None or topic.group == "text") and recognise(facts.name, facts).topic == "disease":
        topic = Topic("disease", "secret")
    # What a name does not say its label may: the number of a respondent, whatever the column is called.
    said = replace(facts, name=label) if label and topic is None else facts
    meaning = meaning_of(said, topic)
    return ColumnProfile(facts, meaning, suggest(said, topic, meaning), topic=topic, label=label)


def _unusable(name: str, rows: int) -> ColumnProfile:
    facts = ColumnCounts(name, rows, pa.nulls(0, pa.string()), np.full(rows, -1, np.int64))
    reason = "its type cannot be released, so it is left out"
    return ColumnProfile(
        facts, Meaning("identifier", "binary or nested values"), Suggestion("identifier", reason, SURE)
    )


def _search(columns: list[ColumnProfile], tell: Tell) -> Searched:
    taking = [
        one.facts
        for one in columns
        if one.kind not in {"identifier", "free text", "empty"} and one.facts.unique < ALONE * max(1, one.facts.rows)
    ]
    return search(taking, tell=tell)


def _with_person(columns: list[ColumnProfile]) -> list[ColumnProfile]:
    """Make an identifier with repeated values the person, by which privacy models count."""
    found = suggest_person((one.facts, one.meaning, one.role) for one in columns)
    if found is None:
        return columns
    return [_as_person(one, found) if one.name == found.name else one for one in columns]


def _as_person(column: ColumnProfile, found: PersonFound) -> ColumnProfile:
    reason = f"{found.rows:,} rows belong to {found.people:,} people, who are counted instead of rows: {found.reason}"
    return replace(column, suggestion=Suggestion("person", reason, LIKELY if found.constant else UNSURE))
