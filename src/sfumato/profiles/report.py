"""The profile of a table: every column, and which of them single people out together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pyarrow as pa

from sfumato.assess.cautions.caution import Caution, percent, share
from sfumato.assess.meaning.facts import ColumnCounts
from sfumato.assess.meaning.meaning import Meaning
from sfumato.assess.meaning.vocabulary import Topic
from sfumato.assess.meaning.words import words
from sfumato.common.html import element, fragment, table
from sfumato.errors import SchemaError, no_column
from sfumato.hierarchies import Hierarchy
from sfumato.profiles.cautions import cautions_of
from sfumato.profiles.combinations import Searched
from sfumato.profiles.hierarchies import grouped_by, hierarchy_of, may_group, parents_of
from sfumato.profiles.ranking import Ranked, SuggestedColumn, rank
from sfumato.profiles.roles import Suggestion, fits_time, usable_weights
from sfumato.table.schema import Schema

#: Words in the names and labels of columns about somebody else than the person of the row.
OF_OTHERS = re.compile(
    r"\b(hh|household\w*|ref(erence)? person|head|spouse\w*|mother\w*|father\w*|parents?|partner\w*|co applicant|"
    r"siblings?|hr|hs|youngest|oldest|interviewer|proxy)\b"
)
#: The most columns beyond the core set that are shown in their rank.
MOST_RANKED = 12
#: Shown values of a column are cut to this length.
LONGEST_SHOWN = 40


@dataclass(frozen=True)
class ColumnProfile:
    """The profile of a column, in aggregates.

    Attributes
    ----------
    facts, meaning, suggestion
        The counts, the meaning of the column, and its suggested role.
    with_others
        The share of rows that it singles out together with the two columns that help it most; None if it was not
        searched, as identifiers are not.
    topic, label
        The topic that its name or its label suggests, and the label, where a file has one.
    """

    facts: ColumnCounts = field(repr=False)
    meaning: Meaning
    suggestion: Suggestion
    with_others: float | None = None
    topic: Topic | None = None
    label: str | None = None

    @property
    def name(self) -> str:
        """The column."""
        return self.facts.name

    @property
    def kind(self) -> str:
        """Its meaning, such as ``"date"`` or ``"ordered category"``."""
        return self.meaning.kind

    @property
    def role(self) -> str:
        """The suggested role."""
        return self.suggestion.role

    @property
    def topic_group(self) -> str | None:
        """Whether its topic is known to others or private, as far as it has one."""
        return self.topic.group if self.topic else None

    @property
    def candidate(self) -> SuggestedColumn:
        """The column as one to rank among quasi-identifiers."""
        said = words(f"{self.name} {self.label or ''}")
        topic = self.topic.name if self.topic else None
        if not fits_time(topic or "", self.meaning):
            topic = "date or time"
        return SuggestedColumn(self.facts, topic, OF_OTHERS.search(said) is not None)

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain values for JSON, without values of the table."""
        facts = self.facts
        return {
            "name": self.name,
            "kind": self.kind,
            "detail": self.meaning.detail,
            "role": self.role,
            "reason": self.suggestion.reason,
            "certainty": self.suggestion.certainty,
            "values": facts.different,
            "missing": facts.missing,
            "missing_codes": len(facts.missing_codes),
            "unique": facts.unique,
            "unique_share": facts.unique / max(1, facts.rows),
            "with_others": self.with_others,
            "largest_share": facts.largest_share,
        }

    def shown(self, count: int) -> list[str]:
        """Format the most frequent values; these are values of the table, for its owner only."""
        order = self.facts.counts.argsort()[::-1][:count]
        texts = self.facts.values.take(pa.array(order)).cast(pa.string()).to_pylist()
        return [text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + "…" for text in texts]


@dataclass(frozen=True)
class Profile:
    """The columns of a table and their suggested roles, in aggregates: no value of the table is printed.

    Attributes
    ----------
    rows
        The number of rows.
    columns
        The columns, in their order.
    searched
        The columns that single people out together, and the extent of the search.
    """

    rows: int
    columns: tuple[ColumnProfile, ...]
    searched: Searched

    def __getitem__(self, name: str) -> ColumnProfile:
        for column in self.columns:
            if column.name == name:
                return column
        raise SchemaError(no_column([name], self.names))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.columns)

    @property
    def roles(self) -> dict[str, str]:
        """The suggested role of every column."""
        return {column.name: column.role for column in self.columns}

    @property
    def na(self) -> dict[str, tuple[str, ...]]:
        """The values that mean "no value", by column, as `anonymize` takes them."""
        return {one.name: one.facts.missing_codes for one in self.columns if one.facts.missing_codes}

    @cached_property
    def ranking(self) -> tuple[Ranked, ...]:
        """The suggested quasi-identifiers, ranked; a core set comes first."""
        return self.ranked(self.roles)

    def ranked(self, roles: Mapping[str, str]) -> tuple[Ranked, ...]:
        """Rank the quasi-identifiers among given roles."""
        return rank([one.candidate for one in self.columns if roles[one.name] == "quasi-identifier"])

    @cached_property
    def cautions(self) -> tuple[Caution, ...]:
        """What would fail later with the suggested roles."""
        return self.cautions_for(self.roles)

    def cautions_for(self, roles: Mapping[str, str]) -> tuple[Caution, ...]:
        """Find what would fail later with other roles."""
        return cautions_of([(one.facts, one.meaning) for one in self.columns], roles)

    def schema(self, roles: Mapping[str, str] | None = None) -> Schema:
        """Make a schema of the suggested or given roles, with a hierarchy for every quasi-identifier."""
        chosen = self.roles | dict(roles or {})
        by_role = {role: [name for name in self.names if chosen[name] == role] for role in set(chosen.values())}
        person, weight = by_role.get("person", []), self.weight_among(chosen)
        others = [name for name in by_role.get("weight", []) if name != weight]
        return Schema(
            self.hierarchies(by_role.get("quasi-identifier", [])),
            sensitive=by_role.get("sensitive", []),
            identifiers=[*by_role.get("identifier", []), *person[1:], *others],
            plain=by_role.get("plain", []),
            person=person[0] if person else None,
            survey_weights=weight,
        )

    def weight_among(self, roles: Mapping[str, str]) -> str | None:
        """Choose the survey weights that a release can show: the first column with a weight above 0 in every row."""
        named = (one for one in self.columns if roles[one.name] == "weight")
        return next((one.name for one in named if usable_weights(one.facts)), None)

    def hierarchies(self, names: list[str]) -> dict[str, Hierarchy]:
        """Suggest hierarchies; a column that groups the values of another becomes its upper level."""
        categories = [one for one in self.columns if one.kind in {"category", "code", "postcode"}]
        found: dict[str, Hierarchy] = {}
        for column in (self[name] for name in names):
            topic = column.topic.name if column.topic else None
            wider = [one.facts for one in categories if one.topic and may_group(topic, one.topic.name)]
            parent = parents_of(column.facts, wider) if column.kind == "category" else None
            found[column.name] = (
                hierarchy_of(column.facts, column.meaning, topic)
                if parent is None
                else grouped_by(column.facts, parent)
            )
        return found

    def to_dict(self, show: int = 0) -> dict[str, Any]:
        """Convert to plain values for JSON; with ``show`` also the most frequent values of every column."""
        return {
            "rows": self.rows,
            "columns": [one.to_dict() | ({"shown": one.shown(show)} if show else {}) for one in self.columns],
            "combinations": [
                {"columns": list(one.columns), "unique": one.unique, "share": one.share} for one in self.searched.found
            ],
            "ranking": [vars(one) | {"reason": one.reason} for one in self.ranking],
            "searched": {"rows": self.searched.rows, "combinations": self.searched.counted},
            "cautions": [caution.to_dict() for caution in self.cautions],
        }

    def summary(self) -> str:
        """Format the profile for people."""
        return "\n".join(self._lines())

    def __str__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        rows = [
            [
                one.name,
                f"{one.kind} ({one.meaning.detail})" if one.meaning.detail else one.kind,
                f"{one.facts.different:,}",
                percent(one.facts.missing, one.facts.rows) if one.facts.missing else "",
                one.role,
                f"{one.suggestion.certainty}: {one.suggestion.reason}",
            ]
            for one in self.columns
        ]
        return fragment(
            f"Profile of {self.rows:,} rows, {len(self.columns)} columns",
            table(["column", "holds", "values", "missing", "suggested role", "why"], rows, numbers={2, 3}),
            [element("p", said) for said in self.findings()],
        )

    def _lines(self) -> Iterator[str]:
        yield f"{self.rows:,} rows, {len(self.columns)} columns"
        for one in self.columns:
            facts = one.facts
            detail = f" ({one.meaning.detail})" if one.meaning.detail else ""
            missing = f", {percent(facts.missing, facts.rows)} missing" if facts.missing else ""
            yield f"{one.name}: {one.kind}{detail}, {facts.different:,} values{missing}"
            yield f"  {one.role}, {one.suggestion.certainty}: {one.suggestion.reason}"
        yield from self.findings()

    def findings(self) -> Iterator[str]:
        """Yield findings about the whole table: combinations, and what would fail later."""
        if self.searched.found:
            yield "Together these columns single people out:"
        for one in self.searched.found:
            yield f"  {', '.join(one.columns)}: {share(one.unique, self.rows)} rows are alone"
        if 0 < self.searched.rows < self.rows:
            yield f"  (searched in {self.searched.rows:,} rows drawn at random, counted in all)"
        yield from self._ranking()
        yield from (str(caution) for caution in self.cautions)

    def _ranking(self) -> Iterator[str]:
        """Yield the suggested quasi-identifiers in their order, if they are more than a core set."""
        core = [one for one in self.ranking if one.core]
        rest = [one for one in self.ranking if not one.core]
        if not rest:
            return
        yield f"Of {len(self.ranking)} suggested quasi-identifiers, begin with these {len(core)}:"
        yield from (f"  {one.name}: {one.reason}" for one in core)
        yield "  The others, the likeliest known first; 'sfumato init' says what each of them would cost:"
        yield from (f"  {one.name}: {one.reason}" for one in rest[:MOST_RANKED])
        if len(rest) > MOST_RANKED:
            yield f"  and {len(rest) - MOST_RANKED} more (all with --json, or as profile.ranking)"
