"""Frequency sets as tables of a real database, as Incognito's paper ran its searches: a star schema in DuckDB.

The table lies in the database as codes, every quasi-identifier has a dimension table with a column per level, and a
frequency set is a temporary table that a GROUP BY makes of the table or of another frequency set. Every search for
k-anonymity runs on it unchanged: ``Incognito()._find(DatabaseJudge(task), space)``.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.errors import ParameterError
from sfumato.hierarchies import Domain
from sfumato.methods import Task
from sfumato.methods.lattice.frequencies import Frequencies, Levels, Roller
from sfumato.methods.lattice.full_domain import FullDomain
from sfumato.methods.lattice.judge import NodeJudge
from sfumato.methods.lattice.nodes import Space

NOTHING = np.empty(0)


@dataclass(frozen=True)
class TableFrequencies(Frequencies):
    """A frequency set that lies in the database; what is here is its name and its length."""

    table: str = ""
    length: int = field(default=0)

    def __len__(self) -> int:
        return self.length


class StarSchema(Roller):
    """Counts frequency sets with GROUP BY; a set that is no longer referenced is dropped."""

    def __init__(
        self,
        codes: NDArray[np.unsignedinteger],
        domains: Sequence[Domain],
        smallest: int,
        connection: duckdb.DuckDBPyConnection,
    ) -> None:
        super().__init__(domains, (), smallest)
        self.connection = connection
        self._numbers = count()
        columns = {f"q{at}": pa.array(column) for at, column in enumerate(codes.T)}
        self._store("facts", pa.table(columns))
        for at, domain in enumerate(domains):
            self._store(f"dim{at}", pa.table({f"l{i}": level.groups for i, level in enumerate(domain.levels)}))

    def _store(self, name: str, table: pa.Table) -> None:
        self.connection.register("given", table)
        self.connection.execute(f"CREATE TABLE {name} AS FROM given")
        self.connection.unregister("given")

    def scan(self, keys: Any, counts: Any, levels: Levels, in_order: bool = False) -> Frequencies:
        """Count the table itself at a node."""
        self.scans += 1
        return self._grouped("facts", "count(*)", self.bottom, levels)

    def up(self, frequencies: Frequencies, levels: Levels) -> Frequencies:
        """Count a node from the frequency set of one below it."""
        if frequencies.levels == levels:
            return frequencies
        assert isinstance(frequencies, TableFrequencies)
        self.rollups += 1
        return self._grouped(frequencies.table, "sum(n)::BIGINT", frequencies.levels, levels)

    def _grouped(self, source: str, counting: str, origin: Levels, levels: Levels) -> Frequencies:
        joins, columns = [source], []
        for at, (low, high) in enumerate(zip(origin, levels, strict=True)):
            if high == self.domains[at].top:
                columns.append(f"0 AS q{at}")  # the top level shows no values, so there is nothing to group by
            elif low == high:
                columns.append(f"{source}.q{at}")
            else:
                joins.append(f"(SELECT DISTINCT l{low}, l{high} FROM dim{at}) d{at} ON d{at}.l{low} = {source}.q{at}")
                columns.append(f"d{at}.l{high} AS q{at}")
        name = f"f{next(self._numbers)}"
        query = f"SELECT {', '.join(columns)}, {counting} AS n FROM {' JOIN '.join(joins)} GROUP BY ALL"
        self.connection.execute(f"CREATE TEMP TABLE {name} AS {query}")
        told = f"SELECT coalesce(sum(n) FILTER (n < {self.smallest}), 0)::BIGINT, count(*) FROM {name}"
        small, length = self.connection.execute(told).fetchall()[0]
        found = TableFrequencies(levels, NOTHING.astype(np.uint64), NOTHING.astype(np.int64), small, name, length)
        weakref.finalize(found, self.connection.execute, f"DROP TABLE {name}")
        return found


class DatabaseJudge(NodeJudge):
    """A judge of k-anonymity whose frequency sets lie in a database."""

    def __init__(self, task: Task, connection: duckdb.DuckDBPyConnection | None = None) -> None:
        super().__init__(task)
        if not self.size_only or self.budget:
            raise ParameterError("The searches in tables of a database are for k-anonymity without suppression.")
        microdata = task.microdata
        self.connection = connection or duckdb.connect()
        self.roller = StarSchema(microdata.codes, microdata.domains, self.smallest, self.connection)


def answers_in_database(method: FullDomain, task: Task) -> list[Levels]:
    """The answers that a search finds on tables of a database in memory."""
    return method._find(DatabaseJudge(task), Space(task.microdata.domains)).answers
