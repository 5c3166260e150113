"""The star schema in SQL: dimension tables, the frequency set as one GROUP BY, and the release as a view or table.

Only standard SQL is used, so that the printed statements run wherever the table is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from sfumato.errors import SchemaError
from sfumato.hierarchies import Domain
from sfumato.io.sql import identifier, literal, qualified, text_by_bytes
from sfumato.run.in_database.conditions import ClassConditions

#: Text that is compared by its bytes, whatever the collation of the database.
TEXT = 'VARCHAR COLLATE "C"'

#: Types of values in Arrow and in SQL.
SQL_TYPES = (
    (pa.types.is_uint64, "DECIMAL(20, 0)"),
    (pa.types.is_integer, "BIGINT"),
    (pa.types.is_float64, "DOUBLE PRECISION"),
    (pa.types.is_floating, "REAL"),
    (pa.types.is_date, "DATE"),
    (pa.types.is_time, "TIME"),
    (pa.types.is_boolean, "BOOLEAN"),
    (pa.types.is_string, TEXT),
    (pa.types.is_large_string, TEXT),
)

#: PostgreSQL truncates longer names, so two of them could become equal.
LONGEST_NAME = 63


def search_name(at: int) -> str:
    """The name of the dimension table that a search uses for a quasi-identifier."""
    return f"sfumato_search_{at}"


def dimension_name(release: str, at: int, column: str) -> str:
    """The name of the dimension table of a quasi-identifier in a release.

    Each release has its own: another one at other levels must not change what this one shows.
    """
    *schema, name = release.split(".")
    readable = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in column).lower()
    start = f"sfumato_{name[: LONGEST_NAME // 2]}_{at}_"
    return ".".join([*schema, (start + readable)[:LONGEST_NAME]])


def dimension(domain: Domain) -> pa.Table:
    """Build the dimension table of a hierarchy: each value, its code, and its label at each intermediate level."""
    columns = {"value": domain.values, "code": pa.array(range(len(domain.values)), pa.int32())}
    for number, level in enumerate(domain.levels[1:-1], start=1):
        columns[f"level_{number}"] = level.labels.take(pa.array(level.groups[: len(domain.values)]))
    return pa.table(columns)


def frequency_query(source: str, quasi_identifiers: Sequence[str], sensitive: Sequence[str]) -> str:
    """The query for the base frequency set: codes of quasi-identifiers, sensitive values, counts."""
    codes = [f"d{at}.code AS q{at}" for at in range(len(quasi_identifiers))]
    values = [f"t.{identifier(name)} AS s{at}" for at, name in enumerate(sensitive)]
    groups = ", ".join(str(place) for place in range(1, len(codes) + len(values) + 1))
    joins = "".join(_join(at, name, search_name(at)) for at, name in enumerate(quasi_identifiers))
    selected = ", ".join([*codes, *values, "COUNT(*) AS n"])
    return f"SELECT {selected}\nFROM {source} t{joins}\nGROUP BY {groups}"


def _join(at: int, column: str, table: str) -> str:
    return f"\n  LEFT JOIN {qualified(table)} d{at} ON t.{identifier(column)} = d{at}.value"


def dimension_statements(table: str, domain: Domain, level: int, block: int = 500) -> list[str]:
    """The statements that create the dimension table of a column for one level."""
    name = qualified(table)
    kind = _sql_type(domain)
    statements = [f"CREATE TABLE {name} (value {kind} PRIMARY KEY, label {TEXT} NOT NULL)"]
    labels = domain.levels[level].labels.take(pa.array(domain.levels[level].groups[: len(domain.values)])).to_pylist()
    quoted = [_value(value, kind) for value in domain.values.cast(pa.string()).to_pylist()]
    pairs = [f"({value}, {literal(label)})" for value, label in zip(quoted, labels, strict=True)]
    blocks = [",\n  ".join(pairs[start : start + block]) for start in range(0, len(pairs), block)]
    return [*statements, *(f"INSERT INTO {name} (value, label) VALUES\n  {rows}" for rows in blocks)]


def _value(text: str, kind: str) -> str:
    return text if kind == "BIGINT" else literal(text)


def _sql_type(domain: Domain) -> str:
    """The type of a dimension's values: joined with those of the table, every value finds its own and no other."""
    kind = domain.values.type
    if pa.types.is_decimal(kind):
        return f"DECIMAL({kind.precision}, {kind.scale})"
    if pa.types.is_timestamp(kind):
        return "TIMESTAMP WITH TIME ZONE" if kind.tz else "TIMESTAMP_NS" if kind.unit == "ns" else "TIMESTAMP"
    for fits, name in SQL_TYPES:
        if fits(kind):
            return name
    raise SchemaError(f"'{domain.name}' has the type {kind}, which has no levels in a database. Convert it there.")


@dataclass(frozen=True)
class ReleaseQuery:
    """The SELECT that makes a release.

    Attributes
    ----------
    source
        The FROM clause.
    domains, levels
        The quasi-identifiers, and the released level of each.
    others
        The columns that are released as they are.
    conditions
        The conditions on classes that SQL can check.
    suppresses
        Whether any classes are suppressed.
    left_out
        The suppressed classes, one tuple of labels each, where SQL cannot check the conditions.
    """

    source: str
    domains: Sequence[Domain]
    levels: Sequence[int]
    others: Sequence[str]
    conditions: ClassConditions
    suppresses: bool = False
    left_out: Sequence[tuple[str | None, ...]] = ()

    def dimensions(self, release: str) -> dict[int, str]:
        """The positions of quasi-identifiers that need a dimension table, and the name of each table."""
        return {
            at: dimension_name(release, at, domain.name)
            for at, (domain, level) in enumerate(zip(self.domains, self.levels, strict=True))
            if level not in {0, domain.top}
        }

    def text(self, release: str, follows: bool) -> str:
        """The query; it puts rows in random order, since their order can identify people.

        A query that ``follows`` the data checks its classes whenever it is read, and hides values that have no label.
        """
        return f"{self._rows(release, follows)}\nORDER BY RANDOM()"

    def _rows(self, release: str, follows: bool) -> str:
        shown = [f"{self._shown(at)} AS {identifier(domain.name)}" for at, domain in enumerate(self.domains)]
        kept = [f"t.{identifier(name)} AS {identifier(name)}" for name in self.others]
        joined = f"SELECT {_lines([*shown, *kept])}\nFROM {self.source} t{self._joins(release)}"
        tests = [*(self._known(release) if follows else []), *self._not_listed()]
        rows = joined + ("\nWHERE " + "\n  AND ".join(tests) if tests else "")
        if not self.conditions.tests or not (follows or self.suppresses):
            return rows
        return self.conditions.wrapped(rows, [*(domain.name for domain in self.domains), *self.others])

    def _known(self, release: str) -> list[str]:
        """The condition that values have labels; values that came later have none."""
        return [
            f"(t.{identifier(self.domains[at].name)} IS NULL OR d{at}.label IS NOT NULL)"
            for at in self.dimensions(release)
        ]

    def _shown(self, at: int) -> str:
        domain, level = self.domains[at], self.levels[at]
        if level == domain.top:
            return "'*'"
        return text_by_bytes(f"t.{identifier(domain.name)}") if level == 0 else f"d{at}.label"

    def _joins(self, release: str) -> str:
        return "".join(_join(at, self.domains[at].name, table) for at, table in self.dimensions(release).items())

    def _not_listed(self) -> list[str]:
        if not self.left_out:
            return []
        rows = []
        for labels in self.left_out:
            tests = [
                f"{self._shown(at)} IS NULL" if label is None else f"{self._shown(at)} = {literal(label)}"
                for at, label in enumerate(labels)
                if self.levels[at] != self.domains[at].top
            ]
            rows.append(f"({' AND '.join(tests) or 'TRUE'})")
        # A comparison with NULL is neither true nor false, and must not drop the row.
        return ["(" + "\n   OR ".join(rows) + ") IS NOT TRUE"]


def _lines(parts: Sequence[str]) -> str:
    return ",\n       ".join(parts)
