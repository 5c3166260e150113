"""Equality inside a database is that of the bytes that readers see.

A collation can call ``a`` and ``A`` equal, a type can call 1.0 and 1.00 equal. Then every GROUP BY, join and window
would count people together whom readers of the release tell apart.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import pyarrow as pa

from sfumato.errors import SchemaError
from sfumato.io.databases.database import Database
from sfumato.io.sql import identifier, text_by_bytes
from sfumato.table.schema import Schema


def by_bytes(database: Database, roles: Mapping[str, str], schema: Schema) -> str:
    """The FROM clause of all queries, in which values are equal only if readers see the same.

    Raises
    ------
    SchemaError
        If the database calls numbers or other values equal that are written differently, such as 1.0 and 1.00.
    """
    kinds, released = database.kinds(), [name for name, role in roles.items() if role not in {"identifier", "drop"}]
    texts = [name for name in released if _read_as_text(kinds.field(name).type, name in schema.quasi_identifiers)]
    source = read_by_bytes(database.source, released, texts)
    for name in (*schema.quasi_identifiers, *schema.sensitive):
        if name not in texts and not _written_one_way(kinds.field(name).type):
            column = identifier(name)
            counts = f"count(DISTINCT {column}) AS equal, count(DISTINCT {text_by_bytes(column)}) AS written"
            [found] = database.query(f"SELECT {counts} FROM {source} t").to_pylist()
            if found["equal"] != found["written"]:
                raise written_in_several_ways(name)
    return source


def _read_as_text(kind: pa.DataType, quasi_identifier: bool) -> bool:
    """Whether a column is compared as text; exact numbers of PostgreSQL are, unless they are released as they are."""
    if isinstance(kind, pa.BaseExtensionType):
        return quasi_identifier or getattr(kind, "type_name", None) != "numeric"
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_dictionary(kind)


def _written_one_way(kind: pa.DataType) -> bool:
    """Whether equal values of a type always have the same text; 0.0 and -0.0, 24 hours and a day have not."""
    types = pa.types
    tests = (types.is_integer, types.is_boolean, types.is_decimal, types.is_date, types.is_timestamp, types.is_time)
    return any(test(kind) for test in tests)


def written_in_several_ways(name: str) -> SchemaError:
    """The error for a column whose values differ in what readers see, and not in what is counted."""
    return SchemaError(f"'{name}' has values that are written in several ways in the database. Convert it there.")


def read_by_bytes(source: str, columns: Sequence[str], texts: Collection[str]) -> str:
    """Wrap a FROM clause, so that every comparison of a text, whoever makes it, is one of bytes."""
    shown = [
        f"{text_by_bytes(identifier(name))} AS {identifier(name)}" if name in texts else identifier(name)
        for name in columns
    ]
    return f"(SELECT {', '.join(shown)} FROM {source} s)"


def text_columns(kinds: pa.Schema) -> list[str]:
    """The columns that hold text."""
    return [one.name for one in kinds if _read_as_text(one.type, quasi_identifier=False)]
