"""The words of a column's name in English, whatever language it is in and however its words are joined."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from sfumato.assess.meaning.words import words

#: The most words of a phrase in the dictionary.
LONGEST_PHRASE = 5
#: Shorter parts of a compound, or ends of one, are as often a part of another word.
SHORTEST_PART, SHORTEST_END = 4, 5
#: Short words that often end or begin a compound.
SHORT_PARTS = frozenset(
    {"id", "nr", "no", "age", "sex", "zip", "dob", "ssn", "mrn", "tag", "ort", "of", "plz", "geb", "day", "num"}
)
#: What German and Dutch put between the parts of a compound.
LINKS = ("", "s", "es", "n", "en", "e", "er")
#: Ends of compounds that are no word of another language but common all the same.
ENDS = frozenset({"name", "naam", "namn", "navn", "datum", "jahr", "code", "date", "number", "phone"})
#: English words that end like one of these by chance.
NO_COMPOUNDS = frozenset({"update", "mandate", "candidate", "validate", "username", "rename", "mandated", "updated"})
#: Words that end like those of medicine and are none.
NOT_MEDICAL = frozenset(
    """
    geography photography demography biography bibliography program telegram diagram kilogram milligram gram histogram
    increase decrease purchase base database case phase release lease phrase purchase chase erase vase atrophy trophy
    philosophy
    tension extension pension suspension dimension reservoir souvenir online address diploma aroma
    """.split()  # noqa: SIM905
)

#: Ends of the names of diseases, findings, operations and drugs.
MEDICAL = re.compile(
    r"\w{2,}(itis|itides|osis|oses|emia|aemia|oma|omas|opathy|pathy|ectomy|otomy|ostomy|plasty|scopy|graphy|gram|algia|uria|"
    r"plasia|penia|philia|phobia|rrhea|rrhoea|rrhage|megaly|trophy|cytes?|cillin|mycin|mab|nib|pril|sartan|statin|olol|"
    r"azole|prazole|dipine|gliptin|formin|oxetine|azepam|vir|globulin|ferritin|lipid|lipids|ase|sclerosis|"
    r"stenosis|rhythmia|tension|cardia|pnea|phagia|plegia|paresis|toxicity|diabetes|glinide|gliflozin|glitazone|thiazide|zide|mide|pamide|uride|piride|bose|sone|solone|olone|idone|"
    r"apine|azine|triptan|setron|parin|xaban|gatran|dronate|caine|barbital|afil|lukast|cycline|floxacin|fungin|vudine|"
    r"tadine|terol|tropium|curium|profen|coxib|fibrate|semide|actone|azosin|glutide|tinib|ciclib|parib|limus|poetin|"
    r"grastim|kinra|tidine|zosin|trel|azepine)"
)
_LATIN = re.compile(r"[a-z]+")
_ARABIC = re.compile(r"[\u0600-\u06ff]+")
_ARTICLES = ("وال", "بال", "لل", "ال")


def is_medical(word: str) -> bool:
    """Whether a word ends like the name of a disease, a finding, an operation or a drug.

    >>> is_medical("appendicitis"), is_medical("geography")
    (True, False)
    """
    return word not in NOT_MEDICAL and MEDICAL.fullmatch(word) is not None


@cache
def understood() -> Mapping[str, Any]:
    """The words that are understood, by what they say; see the file."""
    return tomllib.loads((files("sfumato.assess.meaning") / "understood.toml").read_text(encoding="utf-8"))


@cache
def dictionary() -> Mapping[str, tuple[str, ...]]:
    """From words and phrases of other languages, and abbreviations, to English words."""
    found: dict[str, tuple[str, ...]] = {}
    for line in (files("sfumato.assess.meaning") / "dictionary.txt").read_text(encoding="utf-8").splitlines():
        english, colon, others = line.partition(":")
        if line.startswith("#") or not colon:
            continue
        for other in others.split():
            found.setdefault(spelt(other.replace("_", " ")), tuple(english.split()))
    return found


@cache
def known_words() -> frozenset[str]:
    """The English words that are understood."""
    said = understood()
    listed = [
        *said["kinds"].values(),
        *(topic["words"] for topic in said["harmless"].values()),
        said["fillers"]["words"],
    ]
    return frozenset(word for words in listed for phrase in words.split() for word in phrase.split("_"))


@cache
def medical_words() -> frozenset[str]:
    """The words of diseases, treatments and laboratories that say nothing else."""
    said = understood()
    phrases = " ".join(said["harmless"][topic]["words"] for topic in ("disease", "treatment", "laboratory")).split()
    others = {word for phrase in said["fillers"]["words"].split() for word in phrase.split("_")}
    return frozenset(word for phrase in phrases for word in phrase.split("_") if len(word) > 2) - others


def spelt(name: str) -> str:
    """Normalize a name to words, with one spelling of Arabic letters that people mix.

    >>> spelt("Größe"), spelt("FirstName"), spelt("المدينة")
    ('grosse', 'first name', 'المدينه')
    """
    return words(name).replace("ة", "ه").replace("ى", "ي").replace("ł", "l").replace("ø", "o")


@cache
def english(name: str) -> tuple[str, ...]:
    """Translate a column's name word by word; what is not understood stays as it is.

    >>> english("Krankenaktennummer"), english("nameLast"), english("fecha_de_nacimiento"), english("患者番号")
    (('medical', 'record', 'number'), ('name', 'last'), ('date', 'of', 'birth'), ('patient', 'number'))
    """
    said = spelt(name.replace("Ł", "L").replace("ł", "l").replace("ø", "o").replace("Ø", "O")).split()
    found: list[str] = []
    at = 0
    while at < len(said):
        size, meant = _phrase(said, at)
        found += meant
        at += size
    return tuple(found)


def _phrase(said: list[str], at: int) -> tuple[int, tuple[str, ...]]:
    """Translate the longest phrase that begins at a word."""
    for size in range(min(LONGEST_PHRASE, len(said) - at), 1, -1):
        meant = dictionary().get(" ".join(said[at : at + size]))
        if meant is not None:
            return size, meant
    return 1, _word(said[at])


def _word(word: str) -> tuple[str, ...]:
    """Translate a word: as it is, in another spelling, or taken apart."""
    for spelling in _spellings(word):
        meant = _entry(spelling)
        if meant is not None:
            return meant
    if _LATIN.fullmatch(word):
        return (word,) if is_medical(word) else _compound(word) or _inflected(word) or _ending(word) or (word,)
    return tuple(_segments(word)) if not word.isdigit() and not _ARABIC.fullmatch(word) else (word,)


def _entry(word: str) -> tuple[str, ...] | None:
    if word in known_words():
        return (word,)
    return dictionary().get(word)


def _spellings(word: str) -> Iterator[str]:
    yield word
    yield word.replace("ae", "a").replace("oe", "o").replace("ue", "u")
    yield word.removesuffix("s")
    yield re.sub(r"ies$", "y", word)
    yield from (word.removeprefix(article) for article in _ARTICLES if word.startswith(article))


@cache
def _compound(word: str) -> tuple[str, ...] | None:
    """Take a word apart into parts that are all understood; the longest first part decides."""
    if len(word) < 2 * SHORTEST_PART - 2 or word in NO_COMPOUNDS:
        return None
    for size in range(len(word) - 2, 1, -1):
        first = _part(word[:size])
        if first is None:
            continue
        for link in LINKS:
            rest = word[size + len(link) :]
            if word.startswith(link, size) and len(rest) > 1:
                last = _part(rest) or _compound(rest)
                if last is not None:
                    return (*first, *last)
    return None


def _inflected(word: str) -> tuple[str, ...] | None:
    """Find a word whose ending differs: Polish 'telefonu' is 'telefon'."""
    cut = [word[:-1], word[:-2], word[:-1] + "a"] if len(word) > SHORTEST_END + 1 else []
    return next((meant for stem in cut if (meant := dictionary().get(stem)) is not None), None)


def _part(part: str) -> tuple[str, ...] | None:
    if part in SHORT_PARTS or len(part) >= SHORTEST_PART:
        return _entry(part) or _entry(part.replace("ae", "a").replace("oe", "o").replace("ue", "u"))
    return None


def _ending(word: str) -> tuple[str, ...] | None:
    """Understand at least the last part of a compound, which says what it is."""
    if word in NO_COMPOUNDS:
        return None
    for size in range(2, len(word) - SHORTEST_END + 1):
        end = word[size:]
        meant = dictionary().get(end)
        if meant is not None:
            return (word[:size], *meant)
    return next(((word[: -len(end)], *(_entry(end) or (end,))) for end in ENDS if word.endswith(end)), None)


def _segments(text: str) -> Iterator[str]:
    """Take Chinese and Japanese apart, which put no blank between words."""
    at = 0
    while at < len(text):
        for size in range(len(text) - at, 0, -1):
            meant = dictionary().get(text[at : at + size])
            if meant is not None:
                yield from meant
                break
        else:
            size = 1
            yield text[at]
        at += size
