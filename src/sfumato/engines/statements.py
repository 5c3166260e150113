"""The star schema in SQL: dimension tables, the frequency set as one GROUP BY, and the release as a view or table.

Only standard SQL is used, so that the printed statements run wherever the table is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from sfumato.engines.base import identifier, literal
from sfumato.hierarchies import Domain

#: The names of dimension tables begin so.
DIMENSION = "sfumato_"


def dimension_name(column: str) -> str:
    """Return the name of a column's dimension table."""
    return DIMENSION + "".join(character if character.isalnum() else "_" for character in column).lower()


def dimension(domain: Domain) -> pa.Table:
    """Return the dimension table of a hierarchy: every value, its code, and its label at every level between."""
    columns = {"value": domain.values, "code": pa.array(range(len(domain.values)), pa.int32())}
    for number, level in enumerate(domain.levels[1:-1], start=1):
        columns[f"level_{number}"] = level.labels.take(pa.array(level.groups[: len(domain.values)]))
    return pa.table(columns)


def frequency_query(source: str, quasi_identifiers: Sequence[str], sensitive: Sequence[str]) -> str:
    """Return the query for the base frequency set: codes of quasi-identifiers, sensitive values, counts."""
    codes = [f"d{at}.code AS q{at}" for at in range(len(quasi_identifiers))]
    values = [f"t.{identifier(name)} AS s{at}" for at, name in enumerate(sensitive)]
    groups = ", ".join(str(place) for place in range(1, len(codes) + len(values) + 1))
    joins = "".join(_join(at, name) for at, name in enumerate(quasi_identifiers))
    selected = ", ".join([*codes, *values, "COUNT(*) AS n"])
    return f"SELECT {selected}\nFROM {source} t{joins}\nGROUP BY {groups}"


def _join(at: int, name: str) -> str:
    return f"\n  LEFT JOIN {identifier(dimension_name(name))} d{at} ON t.{identifier(name)} = d{at}.value"


def dimension_statements(domain: Domain, level: int, block: int = 500) -> list[str]:
    """Return the statements that make the dimension table of a column for one level; none where none is needed."""
    if level in {0, domain.top}:
        return []
    name = identifier(dimension_name(domain.name))
    kind = _sql_type(domain.values.type)
    statements = [f"CREATE TABLE {name} (value {kind} PRIMARY KEY, label VARCHAR NOT NULL)"]
    labels = domain.levels[level].labels.take(pa.array(domain.levels[level].groups[: len(domain.values)])).to_pylist()
    quoted = [_value(value, kind) for value in domain.values.cast(pa.string()).to_pylist()]
    pairs = [f"({value}, {literal(label)})" for value, label in zip(quoted, labels, strict=True)]
    blocks = [",\n  ".join(pairs[start : start + block]) for start in range(0, len(pairs), block)]
    return [*statements, *(f"INSERT INTO {name} (value, label) VALUES\n  {rows}" for rows in blocks)]


def _value(text: str, kind: str) -> str:
    return literal(text) if kind in {"VARCHAR", "DATE", "TIMESTAMP"} else text


def _sql_type(kind: pa.DataType) -> str:
    types = pa.types
    if types.is_integer(kind):
        return "BIGINT"
    if types.is_floating(kind) or types.is_decimal(kind):
        return "DOUBLE PRECISION"
    if types.is_date(kind):
        return "DATE"
    return "TIMESTAMP" if types.is_timestamp(kind) else "VARCHAR"


@dataclass(frozen=True)
class ReleaseQuery:
    """The SELECT that makes a release.

    Attributes
    ----------
    source
        What stands after FROM.
    domains, levels
        The quasi-identifiers, and the level that is released of each.
    others
        The columns that are released as they are.
    smallest
        The least number of rows that a class must have, where smaller ones are left out.
    left_out
        The classes to leave out, one tuple of labels each, where models beyond their size decide.
    """

    source: str
    domains: Sequence[Domain]
    levels: Sequence[int]
    others: Sequence[str]
    smallest: int | None = None
    left_out: Sequence[tuple[str | None, ...]] = ()

    def text(self) -> str:
        """Return the query."""
        shown = [f"{self._shown(at)} AS {identifier(domain.name)}" for at, domain in enumerate(self.domains)]
        kept = [f"t.{identifier(name)} AS {identifier(name)}" for name in self.others]
        inner = f"SELECT {_lines([*shown, *kept])}\nFROM {self.source} t{self._joins()}"
        if self.smallest is not None:
            return self._without_small(inner)
        return f"{inner}{self._without_listed()}"

    def _shown(self, at: int) -> str:
        domain, level = self.domains[at], self.levels[at]
        if level == domain.top:
            return "'*'"
        return f"CAST(t.{identifier(domain.name)} AS VARCHAR)" if level == 0 else f"d{at}.label"

    def _joins(self) -> str:
        return "".join(
            _join(at, domain.name)
            for at, (domain, level) in enumerate(zip(self.domains, self.levels, strict=True))
            if level not in {0, domain.top}
        )

    def _without_small(self, inner: str) -> str:
        names = [identifier(domain.name) for domain in self.domains]
        released = ", ".join([*names, *(identifier(name) for name in self.others)])
        counted = f"SELECT r.*, COUNT(*) OVER (PARTITION BY {', '.join(names)}) AS sfumato_size\nFROM (\n{inner}\n) r"
        return f"SELECT {released}\nFROM (\n{counted}\n) c\nWHERE sfumato_size >= {self.smallest}"

    def _without_listed(self) -> str:
        if not self.left_out:
            return ""
        rows = []
        for labels in self.left_out:
            tests = [
                f"{self._shown(at)} IS NULL" if label is None else f"{self._shown(at)} = {literal(label)}"
                for at, label in enumerate(labels)
                if self.levels[at] != self.domains[at].top
            ]
            rows.append(f"({' AND '.join(tests) or 'TRUE'})")
        # A comparison with a missing value is neither true nor false, and must not leave the row out.
        return "\nWHERE (" + "\n   OR ".join(rows) + ") IS NOT TRUE"


def _lines(parts: Sequence[str]) -> str:
    return ",\n       ".join(parts)
