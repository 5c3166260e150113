"""SPSS and Stata files as these programs show them: value labels instead of codes."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pyarrow as pa

from sfumato.errors import MissingExtraError, SourceError, shortened

STATISTICS = {"sav": "read_sav", "zsav": "read_sav", "dta": "read_dta"}


def read_statistics(path: Path, form: str, places: Sequence[int] | None = None) -> pa.Table:
    """Read the columns at some places of a file, or all, under their names in the file.

    An empty text is missing: neither program distinguishes the two.
    """
    try:
        library = import_module("pyreadstat")
        values, about = getattr(library, STATISTICS[form])(str(path), output_format="dict")
    except ImportError:
        raise MissingExtraError("Reading SPSS and Stata files", "statistics") from None
    except Exception:
        # The library's message may quote the file.
        raise SourceError(f"{shortened(str(path), 300)} cannot be read back.") from None
    names = about.column_names if places is None else [about.column_names[place] for place in places]
    labels = about.variable_value_labels
    return pa.Table.from_arrays([_column(values[name], labels.get(name, {})) for name in names], names=list(names))


def _column(values: list[Any], labels: dict[Any, str]) -> pa.ChunkedArray:
    seen = [None if value in (None, "") or value != value else labels.get(value, value) for value in values]  # noqa: PLR0124
    mixed = len({type(value) for value in seen if value is not None}) > 1
    texts = [None if value is None else str(value) for value in seen] if mixed else seen
    column = pa.array(texts)
    return pa.chunked_array([column.dictionary_encode() if pa.types.is_string(column.type) else column])
