"""Quoting for SQL: names, texts and paths, so that what a user calls something can never be read as a statement.

The verifier quotes by itself, since it shares no code with the rest.
"""

from __future__ import annotations

import glob
from pathlib import Path


def identifier(name: str) -> str:
    """Quote the name of a column or table.

    >>> identifier('the "other" age')
    '"the ""other"" age"'
    """
    return '"' + name.replace('"', '""') + '"'


def qualified(name: str) -> str:
    """Quote the name of a table, which may follow the name of its schema and a dot.

    >>> qualified("clinic.people")
    '"clinic"."people"'
    """
    return ".".join(identifier(part) for part in name.split("."))


def spark_identifier(name: str) -> str:
    """Quote a name for Spark, which takes backticks."""
    return "`" + name.replace("`", "``") + "`"


def literal(text: str | None) -> str:
    """Quote a text; a missing one is NULL.

    >>> literal("O'Hara"), literal(None)
    ("'O''Hara'", 'NULL')
    """
    return "NULL" if text is None else "'" + text.replace("'", "''") + "'"


def text_by_bytes(expression: str) -> str:
    """Convert to text that equals other text only if the bytes are the same.

    Without it a collation, or a type such as ``citext``, may call ``a`` and ``A`` equal. Both DuckDB and PostgreSQL
    know this collation.

    >>> text_by_bytes(identifier("zip"))
    'CAST("zip" AS VARCHAR) COLLATE "C"'
    """
    return f'CAST({expression} AS VARCHAR) COLLATE "C"'


def literal_path(path: Path) -> str:
    """Quote a path for DuckDB, so that ``*``, ``?`` and ``[`` stand for themselves."""
    return literal(glob.escape(str(path.absolute())))
