"""Databases as sources: DuckDB and PostgreSQL."""
