"""Files of SPSS and R written byte by byte from what is published of their formats, by no library that reads them."""

from __future__ import annotations

import datetime as dt
import gzip
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

#: The first day of SPSS.
GREGORIAN = dt.datetime(1582, 10, 14)
SYSTEM_MISSING = -1.7976931348623157e308


def write_sav(
    path: Path,
    columns: Mapping[str, Sequence[object]],
    labels: Mapping[str, Mapping[float, str]],
    missing: Mapping[str, Sequence[float]],
    encoding: str = "cp1252",
) -> None:
    """Write numbers, dates and texts of up to 8 bytes as SPSS does on Windows: without compression, in a code page."""
    rows = list(zip(*columns.values(), strict=True))
    head = b"$FL2" + b"@(#) SPSS DATA FILE MS Windows".ljust(60)
    head += struct.pack("<iiiiid", 2, len(columns), 0, 0, len(rows), 100.0)
    head += b"01 Jan 2412:00:00" + b" " * 64 + b"\0" * 3
    for name, values in columns.items():
        head += _variable(name, values, missing.get(name, ()))
    for name, names in labels.items():
        head += struct.pack("<ii", 3, len(names))
        for value, label in names.items():
            text = label.encode(encoding)
            head += struct.pack("<dB", value, len(text)) + text.ljust((len(text) + 8) // 8 * 8 - 1)
        head += struct.pack("<iii", 4, 1, list(columns).index(name) + 1)
    # Machine integers: the last number says the encoding of all texts.
    head += struct.pack("<iiii8i", 7, 3, 4, 8, 20, 0, 0, -1, 1, 1, 2, int(encoding.removeprefix("cp")))
    head += struct.pack("<ii", 999, 0)
    path.write_bytes(head + b"".join(_cell(value, encoding) for row in rows for value in row))


def _variable(name: str, values: Sequence[object], missing: Sequence[float]) -> bytes:
    width = 8 if isinstance(values[0], str) else 0
    form = 1 << 16 | 8 << 8 if width else 20 << 16 | 11 << 8 if isinstance(values[0], dt.date) else 5 << 16 | 8 << 8 | 2
    record = struct.pack("<iiiiii", 2, width, 0, len(missing), form, form) + name.upper().encode().ljust(8)
    return record + b"".join(struct.pack("<d", value) for value in missing)


def _cell(value: object, encoding: str) -> bytes:
    if isinstance(value, str):
        return value.encode(encoding).ljust(8)
    if isinstance(value, dt.date):
        value = (dt.datetime(value.year, value.month, value.day) - GREGORIAN).total_seconds()
    return struct.pack("<d", SYSTEM_MISSING if value is None else value)


def write_rds(path: Path, columns: Mapping[str, Sequence[object]]) -> None:
    """Write a data frame as R does: numbers, dates, texts and factors."""
    body = b"".join(_r_vector(values) for values in columns.values())
    rows = len(next(iter(columns.values())))
    attributes = _r_attributes(
        {
            "names": _r_strings(list(columns)),
            "class": _r_strings(["data.frame"]),
            "row.names": struct.pack(">iiii", 13, 2, -(2**31), -rows),
        }
    )
    frame = struct.pack(">ii", 19 | 0x300, len(columns)) + body + attributes
    path.write_bytes(gzip.compress(b"X\n" + struct.pack(">iii", 2, 0x40300, 0x20300) + frame))


class Factor(list[int | None]):
    """Codes from 1 on, and what they mean."""

    def __init__(self, levels: Sequence[str], codes: Sequence[int | None]) -> None:
        super().__init__(codes)
        self.levels = list(levels)


def _r_vector(values: Sequence[object]) -> bytes:
    if isinstance(values, Factor):
        codes = b"".join(struct.pack(">i", -(2**31) if code is None else code) for code in values)
        attributes = {"levels": _r_strings(values.levels), "class": _r_strings(["factor"])}
        return struct.pack(">ii", 13 | 0x300, len(values)) + codes + _r_attributes(attributes)
    if isinstance(values[0], str):
        return _r_strings(values)
    is_date = isinstance(values[0], dt.date)
    # The payload of this not-a-number is R's NA.
    missing = bytes.fromhex("7ff00000000007a2")
    days = [(value - dt.date(1970, 1, 1)).days if isinstance(value, dt.date) else value for value in values]
    numbers = b"".join(missing if value is None else struct.pack(">d", value) for value in days)
    attributes = _r_attributes({"class": _r_strings(["Date"])}) if is_date else b""
    return struct.pack(">ii", 14 | (0x300 if is_date else 0), len(values)) + numbers + attributes


def _r_strings(values: Sequence[object]) -> bytes:
    return struct.pack(">ii", 16, len(values)) + b"".join(map(_r_string, values))


def _r_string(value: object) -> bytes:
    if value is None:
        return struct.pack(">ii", 9, -1)
    text = str(value).encode()
    return struct.pack(">ii", 9 | 0x8000, len(text)) + text


def _r_attributes(attributes: Mapping[str, bytes]) -> bytes:
    pairs = b"".join(struct.pack(">ii", 0x402, 1) + _r_string(name) + value for name, value in attributes.items())
    return pairs + struct.pack(">i", 254)
