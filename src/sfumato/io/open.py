"""One door for all data: whatever the caller holds becomes a :class:`Source`."""

from __future__ import annotations

import os

from sfumato.io.formats import is_several, open_file
from sfumato.io.frames import open_frame
from sfumato.io.several_files import open_files
from sfumato.io.source import FileOptions, Openable, Source

__all__ = ["Source", "open_source"]


def open_source(
    data: object,
    *,
    separator: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    layout: str | None = None,
) -> Source:
    """Open a frame or a file for reading, where it takes more to say than the path.

    Parameters
    ----------
    data
        A frame that narwhals knows (pandas, Polars, PyArrow, ...), an Arrow table, record batch or stream, a
        DuckDB relation, or the path of a file; the ending of its name says the format. Several files are one table: a
        list of paths, a pattern such as ``"2024/*.csv.gz"``, or a folder of Parquet files, whose names may hold columns
        (``year=2024``). Or a table in a database (``sfumato.engines``), or a source that is open already.
    separator
        What stands between the cells of a delimited text file. Without it, the comma, semicolon, tab or bar
        that the file itself uses. Frames and other files have none and ignore it.
    encoding
        The encoding of a text file. Without it UTF-8, and what the bytes of the file say where it is something else.
    sheet
        The sheet of a workbook, or the table of an SQLite database, where there are several.
    layout
        Where the columns of a file of fixed width are, such as ``"name 1-10, age 11-13"``.

    Returns
    -------
    Source
        Its columns are known; rows are read by :meth:`Source.read`.

    Examples
    --------
    >>> import pyarrow as pa
    >>> source = open_source(pa.table({"age": [34, 51], "zip": ["02139", "10001"]}))
    >>> source.columns
    ('age', 'zip')
    >>> source.read(["zip"]).num_rows
    2
    """
    if isinstance(data, Source):
        return data
    if isinstance(data, Openable):
        return data.open()
    options = FileOptions(separator, encoding, sheet, layout)
    if isinstance(data, list | tuple) and all(isinstance(one, str | os.PathLike) for one in data):
        return open_files(data, options)
    if isinstance(data, str | os.PathLike):
        return open_files([data], options) if is_several(data) else open_file(data, options)
    return open_frame(data)
