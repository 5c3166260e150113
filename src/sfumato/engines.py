"""Anonymization inside databases: they count, Sfumato searches, and SQL makes the release in place."""

from __future__ import annotations

from sfumato.io.databases.database import Database
from sfumato.io.databases.duckdb import DuckDB
from sfumato.io.databases.postgres import PostgreSQL
from sfumato.run.in_database.search import InPlace, search_for, search_in_place

__all__ = ["Database", "DuckDB", "InPlace", "PostgreSQL", "search_for", "search_in_place"]
