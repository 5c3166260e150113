"""Tables that do not fit in memory or on one machine: an engine, DuckDB or Spark, holds the rows."""

from sfumato.run.large.choose import run_by_engine

__all__ = ["run_by_engine"]
