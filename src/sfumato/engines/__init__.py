"""The same work where the data is: databases count, Sfumato searches, and the release is made in place."""

from __future__ import annotations

from sfumato.engines.base import Database
from sfumato.engines.duckdb import DuckDB
from sfumato.engines.in_place import InPlace, search_for, search_in_place
from sfumato.engines.postgres import PostgreSQL

__all__ = ["Database", "DuckDB", "InPlace", "PostgreSQL", "search_for", "search_in_place"]
