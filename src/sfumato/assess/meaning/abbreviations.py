"""The topic of a name that joins shortened words, as codebooks write them: ``GENHLTH``, ``yrbrn``, ``MARSTAT_A``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from sfumato.assess.meaning.words import words

#: Numbers and single letters at the end of a name, which number its versions.
_VERSION = re.compile(r"( ?\d+| [a-z])+$")
#: Beginnings of names that say nothing of what follows.
_BEGINS = re.compile(r"(type|any|ever|curr|now|avg|num|tot|real|q|r)(?=[a-z]{3})")
#: From this share of a word's letters on it is understood.
UNDERSTOOD = 0.5
#: Shorter parts are found by chance: right behind another part, and behind letters that are not understood.
SHORTEST_JOINED, SHORTEST_WITHIN = 3, 4


@cache
def _stems() -> dict[str, list[tuple[str, bool, str, str]]]:
    """By its letter, every beginning with whether a word ends there, its group and its topic; the longest first."""
    said = tomllib.loads((files("sfumato.assess.meaning") / "abbreviations.toml").read_text(encoding="utf-8"))
    found = [
        (stem.removesuffix("-"), stem.endswith("-"), group, topic)
        for group, topics in said.items()
        for topic, stems in topics.items()
        for stem in stems.split()
    ]
    by_letter: dict[str, list[tuple[str, bool, str, str]]] = {}
    for one in sorted(found, key=lambda one: -len(one[0])):
        by_letter.setdefault(one[0][0], []).append(one)
    return by_letter


def abbreviated(name: str) -> tuple[str, str] | None:
    """Find the topic and the group that a shortened name suggests; None if it suggests none.

    >>> abbreviated("GENHLTH"), abbreviated("yrbrn"), abbreviated("MARSTAT_A"), abbreviated("xyzzy")
    (('disease', 'secret'), ('year of birth', 'known'), ('marital status', 'known'), None)
    """
    said = _VERSION.sub("", words(name)) or words(name)
    found = [one for word in said.split() for one in (*_taken_apart(word),)] or [
        one for word in said.split() if (begun := _BEGINS.match(word)) for one in _taken_apart(word[begun.end() :])
    ]
    ranked = sorted(found, key=lambda one: ("secret", "known").index(one[1]))
    return ranked[0] if ranked else None


def _taken_apart(word: str) -> Iterator[tuple[str, str]]:
    """Yield what the parts of a word suggest, if most of it is understood or it begins with a part of some length."""
    found, covered, at, joined = list[tuple[str, str]](), 0, 0, True
    while at < len(word):
        stem = next((one for one in _stems().get(word[at], ()) if _fits(word, at, one[0], one[1], joined)), None)
        joined = stem is not None
        if stem is None:
            at += 1
            continue
        found.append((stem[3], stem[2]))
        covered += len(stem[0])
        at += len(stem[0])
    if covered >= UNDERSTOOD * len(word):
        yield from found


def _fits(word: str, at: int, stem: str, ends: bool, joined: bool) -> bool:
    """Whether a part stands at a place: a short one only where a word or the next part of it begins, as in 'st-age'."""
    if not word.startswith(stem, at) or (ends and at + len(stem) != len(word)):
        return False
    return at == 0 or len(stem) >= (SHORTEST_JOINED if joined else SHORTEST_WITHIN)
