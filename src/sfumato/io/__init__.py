"""Input and output: frames and files become Arrow tables, releases become frames and files.

Only this package knows frame libraries and file formats; everything else sees ``pyarrow.Table``.
"""

from sfumato.io.files import FileSource
from sfumato.io.frames import ArrowSource, SparkSource, pandas_intervals, to_frame
from sfumato.io.open import Source, open_file, open_source, open_stdin
from sfumato.io.source import FileOptions, Openable, Remark
from sfumato.io.write import check_writable, write_table, write_tables, write_text

__all__ = [
    "ArrowSource",
    "FileOptions",
    "FileSource",
    "Openable",
    "Remark",
    "Source",
    "SparkSource",
    "check_writable",
    "open_file",
    "open_source",
    "open_stdin",
    "pandas_intervals",
    "to_frame",
    "write_table",
    "write_tables",
    "write_text",
]
