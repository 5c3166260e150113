"""Hierarchies that people draw by hand: chapters of ICD-9, wider bands, regions, marital states and schools."""

from __future__ import annotations

import itertools
import math
import re
import tomllib
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib.resources import files

from sfumato.assess.meaning.facts import ColumnCounts
from sfumato.assess.meaning.orders import WrittenBand, band_of, order_of
from sfumato.hierarchies import Taxonomy
from sfumato.hierarchies.countries import places_of_countries

ROOT, OTHER = "*", "other"
#: The share of values that must be understood; the rest is a group of its own.
UNDERSTOOD = 0.8
#: Fewer values need no groups, and one group is none.
FEWEST_VALUES, FEWEST_GROUPS = 4, 2
#: How many of the finest bands stand together, level by level.
MERGED = (2, 4)

#: Where the chapters of ICD-9 begin, by the first three digits.
_CHAPTERS = (1, 140, 240, 280, 290, 320, 390, 460, 520, 580, 630, 680, 710, 740, 760, 780, 800, 1000)
_ICD9 = re.compile(r"(?P<category>\d{3}|V\d\d|E\d{3})(\.?\d{1,2})?|(?P<short>\d{1,2})(\.\d{1,2})?", re.IGNORECASE)


def drawn(facts: ColumnCounts, topic: str | None) -> Iterator[Taxonomy]:
    """Yield the hierarchies that a person would draw for a column's values."""
    values = sorted(facts.values.cast("string").to_pylist())
    if not facts.is_text or len(values) < FEWEST_VALUES:
        return
    if (bands := _wider_bands(facts)) is not None:
        yield bands
    if topic == "nationality" and (regions := _rows(values, _above_country)) is not None:
        yield regions
    if topic == "disease" and (chapters := _rows(values, _above_icd9)) is not None:
        yield chapters
    forms = _groups().get(topic or "", ())
    found = _rows(
        values,
        lambda value: next(
            ([label] for label, form in forms if form.fullmatch(value.strip(" .")) or form.fullmatch(_spaced(value))),
            None,
        ),
    )
    if found is not None:
        yield found


@cache
def _groups() -> dict[str, tuple[tuple[str, re.Pattern[str]], ...]]:
    """The groups of each topic, with the values that belong to each; see the file."""
    listed = tomllib.loads((files("sfumato.profiles") / "groups.toml").read_text(encoding="utf-8"))
    return {
        topic: tuple((label, re.compile(whole.replace("\n", ""), re.IGNORECASE)) for label, whole in groups.items())
        for topic, groups in listed.items()
    }


def _spaced(value: str) -> str:
    """Write 'NeverMarried' and 'never_married' as two words."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", value).replace("_", " ").strip(" .")


def _rows(values: Sequence[str], above: Callable[[str], list[str] | None]) -> Taxonomy | None:
    """Put values below what is above them; None if too few are understood, or all are in one group."""
    found = {value: above(value) for value in values}
    known = [path for path in found.values() if path is not None]
    # A level of one group says no more than '*'.
    while known and len(known[0]) > 1 and len({path[-1] for path in known}) == 1:
        found = {value: path and path[:-1] for value, path in found.items()}
        known = [path[:-1] for path in known]
    if len(known) < UNDERSTOOD * len(values) or len({path[-1] for path in known}) < FEWEST_GROUPS:
        return None
    height = len(known[0])
    used = set(values)
    return Taxonomy(
        [[value, *(_apart(one, used) for one in path or [OTHER] * height), ROOT] for value, path in found.items()]
    )


def _apart(label: str, values: set[str]) -> str:
    """Name a group otherwise than a value is."""
    return f"{label} (all)" if label in values else label


@cache
def _countries() -> dict[str, str]:
    """The codes of countries by their names, in their plainest form; see the file."""
    listed = tomllib.loads((files("sfumato.profiles") / "country_names.toml").read_text(encoding="utf-8"))
    return {_plain(name): code for code, names in listed.items() for name in names.split("|")}


def _plain(name: str) -> str:
    """Write a name in small letters without accents, signs and articles.

    >>> _plain("The Bahamas"), _plain("Côte d'Ivoire"), _plain("Trinidad & Tobago"), _plain("United-States")
    ('bahamas', 'cote d ivoire', 'trinidad and tobago', 'united states')
    """
    letters = unicodedata.normalize("NFKD", name.casefold().replace("&", " and "))
    text = "".join(" " if not one.isalnum() else one for one in letters if not unicodedata.combining(one))
    return re.sub(r"^st ", "saint ", " ".join(text.split()).removeprefix("the "))


def _above_country(name: str) -> list[str] | None:
    """The region and the continent of a country, by its name or that of its people.

    >>> _above_country("Germany"), _above_country("Wonderland")
    (['Western Europe', 'Europe'], None)
    """
    code = _countries().get(_plain(name), name.strip().upper())
    place = places_of_countries().get(code)
    return None if place is None else list(place)


def _above_icd9(code: str) -> list[str] | None:
    """The category and the chapter of an ICD-9 code.

    >>> _above_icd9("250.02"), _above_icd9("V58"), _above_icd9("flu")
    (['250', '240-279'], ['V58', 'V00-V99'], None)
    """
    found = _ICD9.fullmatch(code.strip())
    if found is None:
        return None
    category = (found["category"] or found["short"].zfill(3)).upper()
    if category[0] in "VE":
        return [category, "V00-V99" if category[0] == "V" else "E000-E999"]
    place = bisect_right(_CHAPTERS, int(category))
    if not 0 < place < len(_CHAPTERS):
        return None
    return [category, f"{_CHAPTERS[place - 1]:03d}-{_CHAPTERS[place] - 1:03d}"]


def _wider_bands(facts: ColumnCounts) -> Taxonomy | None:
    """Join bands of one width, such as '[60-70)' and '[70-80)', which an interval of bands would write as a pair."""
    order = order_of(facts.texts)
    bands = [band for text in order if (band := band_of(text)) is not None]
    closed = [band for band in bands if band.high is not None and band.low >= 0]
    if len(order) < 2 * FEWEST_VALUES or len(order) != len(facts.values) or len(bands) < len(order):
        return None
    spans = [after.low - before.low for before, after in itertools.pairwise(closed)]
    width = min(spans, default=0.0)
    if width <= 0 or any(band.low % width for band in closed):
        return None
    if any(band.high not in {band.low + width, band.low + width - 1} for band in closed):
        return None
    spelt = sorted(facts.values.cast("string").to_pylist(), key=lambda text: order.index(text.strip()))
    places = {text.strip(): band for text, band in zip(order, bands, strict=True)}
    last = max((band.low + width for band in closed), default=math.inf)
    rows = ((text, places[text.strip()]) for text in spelt)
    return Taxonomy([[text, *(_joined(band, width * size, last) for size in MERGED), ROOT] for text, band in rows])


def _joined(band: WrittenBand, width: float, last: float) -> str:
    """Write the wider band that holds a band, up to the end of the last; one without an end stands alone."""
    if band.high is None:
        return f"{band.low:g} or more"
    if math.isinf(band.low):
        return f"less than {band.high:g}"
    start = math.floor(band.low / width) * width
    end = min(start + width, last)
    return f"[{start:g}-{end:g})" if band.bracketed else f"{start:g} to under {end:g}"
