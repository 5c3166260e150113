"""Variables of well-known surveys, whose names mean little without a codebook: ``V012``, ``PB140``, ``RIAGENDR``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from sfumato.assess.meaning.vocabulary import Topic


class Codebook(NamedTuple):
    """A survey whose variables are called the same in all of its files.

    Attributes
    ----------
    name
        The survey.
    shows, enough
        Names by which its files are known, and how many of them a table has to have.
    topics
        The topics of its variables, in the order in which they are tried, each with the names of the variables.
    """

    name: str
    shows: re.Pattern[str]
    enough: int
    topics: tuple[tuple[Topic, re.Pattern[str]], ...]

    def is_of(self, names: Sequence[str]) -> bool:
        """Whether a table with these columns is of this survey."""
        return sum(self.shows.fullmatch(name.lower()) is not None for name in names) >= self.enough

    def topic_of(self, name: str) -> Topic | None:
        """The topic of a variable; None if the codebook says nothing of it."""
        return next((topic for topic, pattern in self.topics if pattern.fullmatch(name.lower())), None)


@cache
def codebooks() -> tuple[Codebook, ...]:
    """The codebooks that are known; see the file."""
    listed = tomllib.loads((files("sfumato.assess.meaning") / "codebooks.toml").read_text(encoding="utf-8"))
    return tuple(_codebook(name, said) for name, said in listed.items())


def _codebook(name: str, said: Mapping[str, object]) -> Codebook:
    groups = [(group, topics) for group, topics in said.items() if isinstance(topics, dict)]
    topics = tuple((Topic(topic, group), re.compile(form)) for group, found in groups for topic, form in found.items())
    return Codebook(name, re.compile(str(said["shows"])), int(str(said["enough"])), topics)


def topics_by_codebook(names: Sequence[str]) -> dict[str, Topic]:
    """Find the topics of a survey's variables by its codebook; nothing if the columns are of no survey that is known.

    >>> topics_by_codebook(["v001", "v002", "v005", "v012"])["v012"].name, topics_by_codebook(["v1", "v2"])
    ('age', {})
    """
    book = next((one for one in codebooks() if one.is_of(names)), None)
    found = {} if book is None else {name: book.topic_of(name) for name in names}
    return {name: topic for name, topic in found.items() if topic is not None}
