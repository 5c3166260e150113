"""Conversion of text in any encoding to UTF-8; an encoding is guessed only where a wrong guess would be noticed."""

from __future__ import annotations

import codecs
import io
import re
from pathlib import Path
from typing import IO, BinaryIO, cast

from sfumato.errors import SourceError, invalid_parameter
from sfumato.io.files import PACKING_ERRORS, PACKINGS, opened, shown
from sfumato.io.spool import SHOWN, Spool

#: The encoding of Western programs that do not use UTF-8; nearly every byte is a character in it.
WESTERN = "cp1252"

_CHUNK = 1 << 20
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
#: In which bytes of four plain letters stand without a byte order mark, where every other byte is 0.
_WIDE: dict[tuple[bool, ...], str] = {(True, False) * 2: "utf-16-le", (False, True) * 2: "utf-16-be"}
_WORD = re.compile(rb"[A-Za-z\x80-\xff]+")
_END = re.compile(rb"\r\n|\n|\r")
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")


def checked_encoding(encoding: object) -> str:
    """Check that Python knows an encoding."""
    try:
        return codecs.lookup(cast("str", encoding)).name
    except (LookupError, TypeError):
        raise invalid_parameter(
            "open_source", "encoding", "the name of an encoding such as 'latin-1' or 'utf-16'", encoding
        ) from None


def is_utf8(encoding: str | None) -> bool:
    """Whether a named encoding needs no conversion."""
    return encoding is not None and checked_encoding(encoding) in {"utf-8", "utf-8-sig"}


def in_utf8(path: Path, encoding: str) -> Spool:
    """The text of a file, unpacked and in UTF-8."""
    spool = Spool(SHOWN.get(path, str(path)))
    line = 1
    try:
        with io.TextIOWrapper(cast("BinaryIO", opened(path)), encoding, newline="") as text:
            while chunk := text.read(_CHUNK):
                spool.file.write(chunk.encode())
                line += chunk.count("\n")
    except (UnicodeError, *PACKING_ERRORS):
        raise SourceError(
            f"{shown(path)} cannot be read in the encoding {encoding}, from about line {line:,} "
            "on. Name the encoding that it is in."
        ) from None
    spool.file.flush()
    return spool


def unpacked(path: Path) -> Spool:
    """The bytes of a packed file."""
    try:
        with opened(path) as file:
            return Spool(SHOWN.get(path, str(path))).fill(cast("BinaryIO", file))
    except PACKING_ERRORS:
        raise SourceError(f"{shown(path)} is not a {path.suffix} file, or was cut short. Pack it again.") from None


def detected_encoding(path: Path) -> str | None:
    """Detect the encoding of a text file from its bytes; None for UTF-8 and where any guess would be arbitrary.

    A byte order mark is certain. Without one, a file that is not UTF-8 is taken for Western European text if its words
    look like it: mostly plain letters, some with accents.
    """
    try:
        with opened(path) as file:
            head = file.read(4)
            for mark, encoding in _MARKS.items():
                if head.startswith(mark):
                    return None if encoding == "utf-8-sig" else encoding
            if wide := _WIDE.get(tuple(map(bool, head))):
                return wide
            found = _first_not_utf8(head, file, whole=path.suffix.lower() not in PACKINGS)
    except PACKING_ERRORS:
        return None  # the reader will report what is wrong
    return WESTERN if found and _looks_western(found) else None


def _first_not_utf8(head: bytes, file: IO[bytes], whole: bool) -> bytes | None:
    """Find the first piece of a file that is not UTF-8; of a compressed file only the start is checked."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    piece = head + file.read(_CHUNK)
    while piece:
        try:
            decoder.decode(piece)
        except UnicodeDecodeError:
            return piece
        piece = file.read(_CHUNK) if whole else b""
    return None


def _looks_western(text: bytes) -> bool:
    """Whether most words with non-ASCII letters have few of them, all of which occur in Western encodings."""
    if b"\0" in text:
        return False
    words = [word for word in _WORD.findall(text) if _BEYOND_ASCII.search(word)]
    likely = sum(2 * len(_BEYOND_ASCII.findall(word)) <= len(word) + 1 and _known(word) for word in words)
    return likely >= 0.9 * len(words)


def _known(word: bytes) -> bool:
    """Whether all letters of a word occur in Western encodings; byte 0xff hardly ever does."""
    try:
        return "\xff" not in word.decode(WESTERN)
    except UnicodeDecodeError:
        return False


#: Files beyond this size are searched for mixed line ends only at their start.
SEARCHED = 1 << 28


def has_mixed_ends(path: Path) -> bool:
    """Whether lines of a file end in different ways: as on Windows, on Linux or on old Macs."""
    both = line_feeds = returns = seen = 0
    try:
        with opened(path) as file:
            while (piece := file.read(_CHUNK)) and seen < SEARCHED:
                piece += file.read(1) if piece.endswith(b"\r") else b""
                seen += len(piece)
                pairs = piece.count(b"\r\n")
                both += pairs
                line_feeds += piece.count(b"\n") - pairs
                returns += piece.count(b"\r") - pairs
    except PACKING_ERRORS:
        return False  # the reader will report what is wrong
    return sum(map(bool, (both, line_feeds, returns))) > 1


def with_one_end(path: Path, skip: int = 0) -> tuple[Spool, bool]:
    """The bytes of a file in which every line ends alike, without some lines at its start; quoted text stays.

    Also returns whether line ends differed.
    """
    spool = Spool(SHOWN.get(path, str(path)))
    quoted = False
    kinds: set[bytes] = set()
    try:
        with opened(path) as file:
            for _ in range(skip):
                _drop_line(file)
            while piece := file.read(_CHUNK):
                piece += file.read(1) if piece.endswith(b"\r") else b""
                parts = piece.split(b'"')
                for place, part in enumerate(parts):
                    if not quoted ^ bool(place % 2):
                        kinds |= set(_END.findall(part)) if len(kinds) < 2 else set()
                        parts[place] = part.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
                quoted ^= bool((len(parts) - 1) % 2)
                spool.file.write(b'"'.join(parts))
    except PACKING_ERRORS:
        raise SourceError(f"{shown(path)} is not a {path.suffix} file, or was cut short. Pack it again.") from None
    spool.file.flush()
    return spool, len(kinds) > 1


def _drop_line(file: IO[bytes]) -> None:
    """Read past the end of a line, however it ends."""
    while (byte := file.read(1)) and byte not in b"\r\n":
        pass
    if byte == b"\r" and file.seekable() and file.read(1) not in (b"\n", b""):
        file.seek(-1, 1)
