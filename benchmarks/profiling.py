"""Profile of a large table: time against DuckDB's SUMMARIZE, which counts less and judges nothing."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

import sfumato as sf
from benchmarks.measure import Result, ratio

ROWS, COLUMNS = 1_000_000, 30
LIMIT = 5


def run() -> Iterator[Result]:
    table = thirty_columns(ROWS)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "people.parquet"
        pq.write_table(table, path)
        csv = Path(folder) / "people.csv"
        with duckdb.connect() as connection:
            connection.execute(f"COPY (SELECT * FROM '{path}') TO '{csv}' (HEADER)")
        for file in (path, csv):
            times, mine, theirs = ratio(lambda file=file: sf.profile(file), lambda file=file: summarize(file))
            note = f"{mine:.1f} s against {theirs:.1f} s"
            name = f"profile of {ROWS:,} rows x {COLUMNS}, {file.suffix}, of SUMMARIZE"
            yield Result(name, times, LIMIT, note=note)


def summarize(path: Path) -> object:
    with duckdb.connect() as connection:
        return connection.execute(f"SUMMARIZE SELECT * FROM '{path}'").fetchall()


def thirty_columns(rows: int) -> pa.Table:
    """A table of people with numbers, dates, codes, words, and names that nearly everybody has alone."""
    answers = ", ".join(f"'answer ' || (hash(i + {at}) % {5 + at})::VARCHAR AS q{at}" for at in range(40, 49))
    query = f"""
        SELECT i AS customer_id, 'Person ' || (hash(i) % 900000)::VARCHAR AS name,
            'user' || i::VARCHAR || '@example.org' AS email, (18 + hash(i + 1) % 70)::INT AS age,
            CASE WHEN hash(i + 2) % 2 = 0 THEN 'f' ELSE 'm' END AS sex,
            lpad((hash(i + 3) % 9000)::VARCHAR, 5, '0') AS zip,
            DATE '1940-01-01' + (hash(i + 4) % 24000)::INT AS birth_date,
            TIMESTAMP '2020-01-01' + INTERVAL 1 MINUTE * (hash(i + 5) % 1000000)::INT AS visited_at,
            'I' || (10 + hash(i + 6) % 80)::VARCHAR || '.' || (hash(i + 6) % 9)::VARCHAR AS icd10,
            round((hash(i + 7) % 10000000) / 100.0, 2) AS income, (hash(i + 8) % 12)::INT AS visits,
            {", ".join(f"round((hash(i + {at}) % 100000) / 10.0, 1) AS lab_{at}" for at in range(20, 30))},
            {answers}
        FROM range({rows}) AS t(i)
    """
    with duckdb.connect() as connection:
        return connection.sql(query).to_arrow_table()
