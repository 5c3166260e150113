"""The embedded engine for tables past memory: DuckDB and files in a temporary folder."""
