"""Copies of verified files: equal byte by byte, or cell by cell as they are read back.

What holds of a file holds of every file that reads the same, so copies need not be verified again by counting all of
their classes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.errors import VerificationError
from sfumato.verify.written import FAULT, is_same

#: Rows compared at a time.
BATCH = 1 << 18


def digest_of(path: Path) -> bytes:
    """Hash the bytes of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "blake2b").digest()


def check_copies(paths: Sequence[Path], digests: Sequence[bytes]) -> None:
    """Refuse files whose bytes do not have these hashes."""
    different = sum(digest_of(path) != digest for path, digest in zip(paths, digests, strict=True))
    if different:
        raise VerificationError(f"{different} of {len(paths)} files differ from those that were checked. {FAULT}")


def check_same_rows(checked: Sequence[Path], written: Path) -> None:
    """Refuse a Parquet file whose rows are not those of other files, concatenated, cell by cell.

    Parameters
    ----------
    checked
        The Parquet files that were checked.
    written
        The file made from them.
    """
    expected, found = _batches(checked), _batches([written])
    one, other = next(expected, None), next(found, None)
    rows = 0
    while one is not None and other is not None:
        length = min(one.num_rows, other.num_rows)
        if not _is_equal(one.slice(0, length), other.slice(0, length)):
            raise VerificationError(f"Rows after the first {rows:,} were not written as they were checked. {FAULT}")
        rows += length
        one, other = one.slice(length), other.slice(length)
        one, other = one if one.num_rows else next(expected, None), other if other.num_rows else next(found, None)
    if one is not None or other is not None:
        raise VerificationError(f"Not all of the rows that were checked were written, or more than these. {FAULT}")


def _batches(paths: Sequence[Path]) -> Iterator[pa.Table]:
    """Yield the rows of files in non-empty batches, with text dictionary-encoded."""
    for path in paths:
        texts = [field.name for field in pq.read_schema(path) if pa.types.is_string(field.type)]
        with pq.ParquetFile(path, read_dictionary=texts) as file:
            for batch in file.iter_batches(BATCH):
                if batch.num_rows:
                    yield pa.Table.from_batches([batch])


def _is_equal(one: pa.Table, other: pa.Table) -> bool:
    if one.schema.names != other.schema.names or one.schema.types != other.schema.types:
        return False
    return all(is_same(*pair) for pair in zip(one.columns, other.columns, strict=True))
