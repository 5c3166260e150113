"""The footer of a Parquet file, so that row groups that threads wrote side by side become one file.

Every row group is first a Parquet file of its own, in memory. Their pages follow each other in one file, and its footer
lists all row groups, with the places of their pages moved. The footer is a structure in Thrift's compact protocol; it
is read and written here without knowing most of its fields, which stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

#: How a Parquet file begins and ends.
MAGIC = b"PAR1"

# The types of Thrift's compact protocol.
TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)
INTEGERS = (I16, I32, I64)

# The fields of the structures of a footer that change.
ROWS, GROUPS = 3, 4
COLUMNS, GROUP_OFFSET, ORDINAL = 1, 5, 7
CHUNK_OFFSETS, CHUNK_FACTS = (2, 4, 6), 3
PAGE_OFFSETS = (9, 10, 11, 14)

#: Row groups are numbered in 16 bits; those beyond have no number.
MOST_ORDINAL = 2**15 - 1


class ThriftField(NamedTuple):
    """A field of a structure: its type and its value."""

    kind: int
    value: Any


#: A structure: its fields by number, in their order.
ThriftStruct = dict[int, ThriftField]


class ThriftList(NamedTuple):
    """A list of values of one type."""

    kind: int
    values: list[Any]


@dataclass
class ThriftReader:
    """Reads the values of a structure from bytes."""

    data: bytes
    at: int = 0

    def struct(self) -> ThriftStruct:
        """Read the fields of a structure."""
        found: ThriftStruct = {}
        number = 0
        while head := self._byte():
            kind, step = head & 15, head >> 4
            number = number + step if step else self._integer()
            found[number] = ThriftField(kind, None if kind in (TRUE, FALSE) else self._value(kind))
        return found

    def _value(self, kind: int) -> Any:
        if kind in INTEGERS:
            return self._integer()
        if kind == BINARY:
            return self._taken(self._unsigned())
        if kind in (LIST, SET):
            head = self._byte()
            length = head >> 4 if head >> 4 < 15 else self._unsigned()
            return ThriftList(head & 15, [self._value(head & 15) for _ in range(length)])
        if kind == STRUCT:
            return self.struct()
        if kind in (BYTE, TRUE, FALSE, DOUBLE):
            return self._taken(8 if kind == DOUBLE else 1)
        raise ValueError(f"A Parquet footer has no values of type {kind}.")

    def _byte(self) -> int:
        return self._taken(1)[0]

    def _taken(self, length: int) -> bytes:
        self.at += length
        return self.data[self.at - length : self.at]

    def _unsigned(self) -> int:
        shift = result = 0
        while True:
            byte = self._byte()
            result |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return result

    def _integer(self) -> int:
        zigzag = self._unsigned()
        return zigzag >> 1 ^ -(zigzag & 1)


def written(struct: ThriftStruct) -> bytes:
    """Write a structure in Thrift's compact protocol."""
    parts, before = [], 0
    for number, (kind, value) in struct.items():
        step = number - before
        parts.append(bytes([step << 4 | kind]) if 0 < step < 16 else bytes([kind]) + _integer(number))
        parts.append(b"" if kind in (TRUE, FALSE) else _value(kind, value))
        before = number
    return b"".join([*parts, b"\0"])


def _value(kind: int, value: Any) -> bytes:
    if kind in INTEGERS:
        return _integer(value)
    if kind == BINARY:
        return _unsigned(len(value)) + bytes(value)
    if kind in (LIST, SET):
        size = len(value.values)
        head = bytes([size << 4 | value.kind]) if size < 15 else bytes([15 << 4 | value.kind]) + _unsigned(size)
        return head + b"".join(_value(value.kind, one) for one in value.values)
    return written(value) if kind == STRUCT else bytes(value)


def _unsigned(number: int) -> bytes:
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes([*found, number])


def _integer(number: int) -> bytes:
    return _unsigned(number << 1 if number >= 0 else (-number << 1) - 1)


class ParquetParts:
    """Joins Parquet files of the same columns, one per row group, into the bytes of one file."""

    def __init__(self) -> None:
        self._end = len(MAGIC)
        self._footer: ThriftStruct | None = None

    def pages(self, file: memoryview) -> memoryview:
        """Take a file: its pages, which follow those of the files before, while the footer is kept."""
        length = int.from_bytes(file[-8:-4], "little")
        begin = len(file) - 8 - length
        footer = ThriftReader(bytes(file[begin : len(file) - 8])).struct()
        self._join(footer, self._end - len(MAGIC))
        pages = file[len(MAGIC) : begin]
        self._end += len(pages)
        return pages

    def _join(self, footer: ThriftStruct, moved: int) -> None:
        for group in footer[GROUPS].value.values:
            _move(group, moved, 0 if self._footer is None else len(self._footer[GROUPS].value.values))
        if self._footer is None:
            self._footer = footer
            return
        self._footer[ROWS] = ThriftField(I64, self._footer[ROWS].value + footer[ROWS].value)
        self._footer[GROUPS].value.values.extend(footer[GROUPS].value.values)

    def footer(self) -> bytes:
        """The end of the file."""
        assert self._footer is not None
        footer = written(self._footer)
        return footer + len(footer).to_bytes(4, "little") + MAGIC


def _move(group: ThriftStruct, by: int, ordinal: int) -> None:
    """Move the places of all pages of a row group, and number it."""
    _add(group, (GROUP_OFFSET,), by)
    if group.pop(ORDINAL, None) is not None and ordinal <= MOST_ORDINAL:
        group[ORDINAL] = ThriftField(I16, ordinal)
    for chunk in group[COLUMNS].value.values:
        _add(chunk, CHUNK_OFFSETS, by)
        _add(chunk[CHUNK_FACTS].value, PAGE_OFFSETS, by)


def _add(struct: ThriftStruct, numbers: Iterable[int], more: int) -> None:
    for number in numbers:
        if number in struct and struct[number].value:  # a place of 0 says that there is none
            struct[number] = ThriftField(struct[number].kind, struct[number].value + more)
