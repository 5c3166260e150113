"""Presets, read from their files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, Self

from sfumato.assess.meaning.recognise import KINDS
from sfumato.common import parameters
from sfumato.common.textfiles import parsed_toml, read_text
from sfumato.errors import ParameterError, did_you_mean, invalid_parameter, listed
from sfumato.privacy import MODELS, PrivacyModel

ENDING = ".toml"
TEXTS = ("title", "summary", "source")
LISTS = ("confirmed", "reported", "not_covered")
PARTS = ("privacy", "checklist", "closed", "identifiers", "dates", "ages", "zips")
KEYS = (*TEXTS, "date", *LISTS, "smallest_count", *PARTS)
#: Between the name of a preset and the census whose zip codes it takes.
VARIANT = ":"

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")


@dataclass(frozen=True)
class Named:
    """Columns recognized by phrases in their names.

    Examples
    --------
    >>> ssn = Named(("ssn", "social security"))
    >>> [ssn.fits(name) for name in ("SSN", "SocialSecurityNumber", "patient_ssn", "lesson", "security")]
    [True, True, True, False, False]
    """

    names: Sequence[str] = ()

    def fits(self, column: str) -> bool:
        """Whether a column's name has one of the phrases in it, word by word."""
        return self.place(column) is not None

    def place(self, column: str) -> int | None:
        """Find where in a column's name the first of the phrases begins."""
        said = f" {' '.join(words(column))} "
        return min((said.index(f" {phrase} ") for phrase in self.names if f" {phrase} " in said), default=None)


@dataclass(frozen=True)
class Identifier(Named):
    """A kind of column that must not be released.

    Attributes
    ----------
    what
        How the rule calls it.
    kinds
        The kinds of the recogniser that it forbids.
    names, pattern
        Further columns, by phrases in their names or by a pattern of their values.
    """

    what: str = ""
    kinds: Sequence[str] = ()
    pattern: str | None = None


@dataclass(frozen=True)
class DateRule(Named):
    """Dates are shown by their year; years of birth that reveal a great age become one group."""

    birth: Sequence[str] = ()


@dataclass(frozen=True)
class AgeRule(Named):
    """Ages above ``oldest`` are shown as one."""

    oldest: int = 89


@dataclass(frozen=True)
class ZipRule(Named):
    """Zip codes are shown by three digits, and by 000 where these are among ``low``.

    Attributes
    ----------
    low
        The first digits that are hidden: a list, or lists by the year of a census.
    census
        The year of the census that counts.
    """

    low: Sequence[str] | Mapping[str, Sequence[str]] = ()
    census: int | None = None

    @property
    def hidden(self) -> frozenset[str]:
        """The first three digits that are not shown."""
        return frozenset(self.low.get(str(self.census), ()) if isinstance(self.low, Mapping) else self.low)

    @property
    def by_census(self) -> Mapping[str, Sequence[str]]:
        """The lists by census, if there are several."""
        return self.low if isinstance(self.low, Mapping) else {}


@dataclass(frozen=True)
class Question:
    """A question of a checklist, answered by a figure, by attacks, or by the person who signs.

    Attributes
    ----------
    figure
        The path of its answer among the figures of risk, such as ``after.prosecutor.highest``.
    at_most
        The largest figure that meets it; None where that is for you to judge.
    attacks
        The attacks that answer it: none may do better than guessing.
    reading
        How the criterion is customarily read, where that is contested; the answer says so.
    stricter
        The stricter reading, and what keeps it: the question gets a second answer.
    stricter_attacks
        The attacks that give the second answer; without any, the figure must not exceed the limit by any digit.
    """

    question: str
    figure: str | None = None
    at_most: float | None = None
    attacks: Sequence[str] = ()
    reading: str = ""
    stricter: str = ""
    stricter_attacks: Sequence[str] = ()

    def __post_init__(self) -> None:
        for name in ("question", "reading", "stricter", *([] if self.figure is None else ["figure"])):
            parameters.text("[[checklist]]", name, getattr(self, name))
        parameters.names("[[checklist]]", "attacks", self.attacks)
        parameters.names("[[checklist]]", "stricter_attacks", self.stricter_attacks)
        if self.at_most is not None:
            parameters.number("[[checklist]]", "at_most", self.at_most)


@dataclass(frozen=True)
class Preset:
    """What a regulation or an authority requires of a release, as far as a program can help.

    Attributes
    ----------
    name, title, summary
        What it is called, and what it is for.
    source, date
        Where it is published, and when.
    confirmed, reported
        What was read in the source itself, and what is known only from others who report it.
    smallest_count
        The smallest count of people that may be reported; smaller ones, and all from which they follow, are withheld
        from everything that may be published. 0 withholds nothing.
    not_covered
        What it leaves to you. None of it is legal advice.
    privacy
        The models that it adds to yours.
    checklist
        The questions that `sfumato.checklist` answers.
    closed
        Whether a column is released only if it was understood to be none of the forbidden kinds, or confirmed by name.
    text
        The file itself, to read or to change: ``preset=`` also takes the path of such a file.

    Examples
    --------
    >>> Preset.named("ema-0070").privacy
    (KAnonymity(k=11),)
    """

    name: str
    title: str
    summary: str
    source: str
    not_covered: tuple[str, ...]
    privacy: tuple[PrivacyModel, ...] = ()
    checklist: tuple[Question, ...] = ()
    closed: bool = False
    identifiers: tuple[Identifier, ...] = ()
    dates: DateRule | None = None
    ages: AgeRule | None = None
    zips: ZipRule | None = None
    date: str = ""
    confirmed: tuple[str, ...] = ()
    reported: tuple[str, ...] = ()
    smallest_count: int = 0
    text: str = field(default="", repr=False)

    @classmethod
    def all(cls) -> tuple[Preset, ...]:
        """List the presets that come with Sfumato."""
        return tuple(cls.named(name) for name in shipped())

    @classmethod
    def named(cls, name: str) -> Preset:
        """Look up a preset by its name, or read your own file of the same form.

        A colon and a year after the name choose another census, such as ``"hipaa-safe-harbor:2010"``.
        """
        base, colon, census = name.partition(VARIANT)
        if base in shipped():
            return _shipped(base) if not colon else _shipped(base).of_census(name, census)
        if not name.endswith(ENDING):
            raise ParameterError(
                f"There is no preset '{name}'. There are {listed(shipped())}; or name a file of your own, such as "
                "'rules.toml'."
            )
        return cls.parsed(name, read_text(Path(name), "The preset file", ParameterError))

    @classmethod
    def parsed(cls, name: str, text: str) -> Self:
        """Parse the text of a preset file."""
        where = f"Preset {name}"
        data = parsed_toml(text, lambda reason: ParameterError(f"{where} is not valid TOML: {reason}."))
        _refuse_unknown(where, data, KEYS)
        said: dict[str, Any] = {key: parameters.text(where, key, data.get(key)) for key in TEXTS}
        said |= {key: parameters.names(where, key, data.get(key, ())) for key in LISTS}
        kinds = {"dates": DateRule, "ages": AgeRule, "zips": ZipRule}
        return cls(
            name=name,
            **said,
            date=parameters.text(where, "date", data.get("date", "")),
            smallest_count=parameters.integer(where, "smallest_count", data.get("smallest_count", 0), at_least=0),
            privacy=tuple(_model(where, record) for record in data.get("privacy", ())),
            checklist=tuple(_made(Question, f"{where}: [[checklist]]", one) for one in data.get("checklist", ())),
            closed=_yes_or_no(where, "closed", data.get("closed", False)),
            identifiers=tuple(
                _made(Identifier, f"{where}: [[identifiers]]", one) for one in data.get("identifiers", ())
            ),
            **{key: _made(kind, f"{where}: [{key}]", data[key]) for key, kind in kinds.items() if key in data},
            text=text,
        )

    def of_census(self, name: str, census: str) -> Preset:
        """The same preset with the zip codes of another census."""
        known = self.zips.by_census if self.zips is not None else {}
        if census not in known or self.zips is None:
            have = f"Known: {listed(known)}." if known else "This preset has none."
            raise ParameterError(f"Preset '{self.name}' has no list of zip codes for the census '{census}'. {have}")
        return replace(self, name=name, zips=replace(self.zips, census=int(census)))

    @cached_property
    def recodes(self) -> bool:
        """Whether it changes columns, besides asking for models."""
        return bool(self.closed or self.identifiers or self.dates or self.ages or self.zips)

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain values."""
        return {
            "name": self.name,
            "title": self.title,
            "summary": self.summary,
            "source": self.source,
            "date": self.date,
            "confirmed": list(self.confirmed),
            "reported": list(self.reported),
            "not_covered": list(self.not_covered),
            "privacy": [model.to_policy() for model in self.privacy],
            "checklist": [one.question for one in self.checklist],
        }


def words(column: str) -> list[str]:
    """Split a column's name into words, in lower case.

    >>> words("SocialSecurity_No2")
    ['social', 'security', 'no', '2']
    """
    return [word.lower() for word in _WORD.findall(column)]


def preset_name(owner: str, name: str, value: object) -> str:
    """Check that a preset of this name exists."""
    if not isinstance(value, str) or not (value.partition(VARIANT)[0] in shipped() or value.endswith(ENDING)):
        expected = f"one of {listed(shipped())}, or a file such as 'rules.toml'"
        raise invalid_parameter(owner, name, expected, value, did_you_mean(value, shipped()))
    return value


@cache
def shipped() -> tuple[str, ...]:
    """The names of the presets that come with Sfumato."""
    found = (one.name for one in files("sfumato.run.presets").iterdir())
    return tuple(sorted(name.removesuffix(ENDING) for name in found if name.endswith(ENDING)))


@cache
def _shipped(name: str) -> Preset:
    return Preset.parsed(name, (files("sfumato.run.presets") / f"{name}{ENDING}").read_text(encoding="utf-8"))


def _refuse_unknown(where: str, given: Iterable[str], known: Iterable[str]) -> None:
    unknown = [key for key in given if key not in known]
    if unknown:
        raise ParameterError(f"{where} has no place for {listed(unknown)}. Known: {listed(known)}.")


def _yes_or_no(where: str, key: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise invalid_parameter(where, key, "true or false", value)
    return value


def _model(where: str, record: Mapping[str, Any]) -> PrivacyModel:
    if not isinstance(record, Mapping) or record.get("model") not in MODELS:
        raise ParameterError(f"{where}: every [[privacy]] needs a 'model' out of {listed(MODELS)}.")
    return _called(where, MODELS[record["model"]], {key: value for key, value in record.items() if key != "model"})


def _made(kind: type[Any], where: str, record: object) -> Any:
    """Make a part of a preset from its table in the file."""
    if not isinstance(record, Mapping):
        raise ParameterError(f"{where} must be a table.")
    _refuse_unknown(where, record, kind.__dataclass_fields__)
    _refuse_unknown(f"{where} kinds", record.get("kinds", ()), KINDS)
    pattern = record.get("pattern")
    try:
        re.compile(pattern or "")
    except (re.error, TypeError):
        raise invalid_parameter(where, "pattern", "a regular expression", pattern) from None
    return _called(where, kind, dict(record))


def _called(where: str, make: Any, record: dict[str, Any]) -> Any:
    try:
        return make(**record)
    except TypeError as error:
        raise ParameterError(f"{where}: {str(error).split(') ', 1)[-1]}.") from None
