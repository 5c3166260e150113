"""Made-up cells of tables about people, as hospitals, insurers and registries write them.

Every maker takes a source of random choices and gives one cell; `cells` gives a column of them. Nothing here belongs to
a living person: telephone numbers are from the ranges kept for fiction, social security numbers begin with 9.
"""

from __future__ import annotations

import datetime as dt
import random
import uuid
from collections.abc import Callable, Sequence
from typing import Any

Maker = Callable[[random.Random], Any]


def words(text: str) -> list[str]:
    """The words of a text."""
    return text.split()


FIRST = words(
    """James Mary Robert Patricia John Jennifer Michael Linda David Elizabeth William Barbara Richard Susan Joseph
    Jessica Thomas Sarah Carlos Karen Daniel Nancy Wei Fatima Aisha Hiroshi Ngoc Dmitri Olga Luis Carmen
    Pierre Brigitte Giovanni Paola Ewa Piotr Jan Sanne Mehmet Elif Raj Priya"""
)
LAST = words(
    """Smith Johnson Williams Brown Jones Garcia Miller Davis Rodriguez Martinez Hernandez Lopez Gonzalez Wilson
    Anderson Thomas Taylor Moore Jackson Martin Lee Perez Thompson White Harris Sanchez Clark Nguyen
    Kowalski Dubois Rossi Novak Tanaka Chen O'Brien McDonald Haddad Patel Kim Yamamoto Ferreira"""
)
STREETS = ["Main St", "Oak Avenue", "Elm Street", "Park Rd", "2nd Ave", "Maple Dr", "Washington Blvd", "Hillside Ln"]
TOWNS = words(
    """Boston Worcester Springfield Lowell Cambridge Quincy Lynn Newton Somerville Lawrence Medford Framingham
    Waltham Malden Brookline Plymouth Revere Taunton Chicopee"""
)
VILLAGES = [
    "Shelburne Falls",
    "Woods Hole",
    "Cotuit",
    "Housatonic",
    "Cummington",
    "Monroe Bridge",
    "Gosnold",
    "Hyannis",
]
COUNTIES = ["Middlesex County", "Suffolk County", "Essex County", "Norfolk County", "Plymouth County", "Dukes County"]
HOSPITALS = ["Mercy General Hospital", "St. Luke's Medical Center", "Lakeside Clinic", "Beth Shalom Hospital"]
FIRMS = ["Acme Corp", "Harbor Fisheries LLC", "Globex Inc.", "Riverside School", "Smith & Sons", "City Bank N.A."]
WORDS = words(
    """patient seen today reports pain improving follow up wife daughter lives called discussed medication stable
    cough fever denies returns clinic knee shoulder work asked before family visit walks better"""
)
MONTHS = words("January February March April May June July August September October November December")
MOIS = words("janvier février mars avril mai juin juillet août septembre octobre novembre décembre")
MONATE = words("Januar Februar März April Mai Juni Juli August September Oktober November Dezember")
#: The three digits that at most 20,000 people share by the census of 2020.
FEW_LIVE_THERE = words("036 059 102 202 203 204 205 369 556 692 753 772 821 823 878 879 884 893")
ZIPS = ["02139", "02140", "02446", "10001", "10027", "60614", "73301", "90210", "94110", "33101", "98101", "48201"]


def cells(make: Maker, rows: int, seed: object) -> list[Any]:
    """A column of cells; the same seed makes the same column."""
    rng = random.Random(str(seed))
    return [make(rng) for _ in range(rows)]


def of(*values: Any) -> Maker:
    """One of these values."""
    return lambda rng: rng.choice(values)


def whole(lowest: int, highest: int) -> Maker:
    """A whole number."""
    return lambda rng: rng.randint(lowest, highest)


def real(mean: float, spread: float, digits: int = 1) -> Maker:
    """A measured number, never below 0."""
    return lambda rng: round(abs(rng.gauss(mean, spread)), digits)


def like(pattern: str) -> Maker:
    """Text of a form: ``#`` is a digit, ``@`` a capital letter, ``?`` a hexadecimal digit, all else itself."""
    choices = {"#": "0123456789", "@": "ABCDEFGHJKLMNPRSTUVWXYZ", "?": "0123456789abcdef"}
    return lambda rng: "".join(rng.choice(choices[sign]) if sign in choices else sign for sign in pattern)


def number(digits: int) -> Maker:
    """A number of that many digits, as a number."""
    return lambda rng: rng.randrange(10 ** (digits - 1), 10**digits)


def sometimes(make: Maker, share: float = 0.2) -> Maker:
    """Missing in some rows."""
    return lambda rng: None if rng.random() < share else make(rng)


def rarely(make: Maker, otherwise: Maker, share: float = 0.1) -> Maker:
    """Telling in few rows only."""
    return lambda rng: make(rng) if rng.random() < share else otherwise(rng)


def joined(form: str, *makers: Maker) -> Maker:
    """Several cells in one text."""
    return lambda rng: form.format(*(make(rng) for make in makers))


def text(make: Maker) -> Maker:
    """The same, written as text."""
    return joined("{}", make)


# names

first: Maker = of(*FIRST)
last: Maker = of(*LAST)


full = joined("{} {}", first, last)


def inverted(rng: random.Random) -> str:
    """Surname, comma, first name, initial, in capitals: the custom of admission systems."""
    return f"{last(rng)},{first(rng)} {rng.choice('ABCDEFGJKLMRST')}".upper()


def doctor(rng: random.Random) -> str:
    """A physician with title."""
    return rng.choice([f"Dr. {full(rng)}", f"{last(rng)}, {first(rng)} MD"])


initials: Maker = like("@@")
#: As Synthea writes names.
numbered = joined("{}{}", first, whole(0, 999))


def married(rng: random.Random) -> str:
    """Who belongs to the patient, and how."""
    return f"{full(rng)} ({rng.choice(['wife', 'husband', 'son', 'daughter', 'mother'])})"


# places


street = joined("{} {}", whole(1, 1900), of(*STREETS))
town: Maker = of(*TOWNS)
village: Maker = of(*VILLAGES)
county: Maker = of(*COUNTIES)
hospital: Maker = of(*HOSPITALS)
firm: Maker = of(*FIRMS)
town_state = joined("{}, MA", town)
latitude = joined("42.{}", number(6))
longitude = joined("-71.{}", number(6))
coordinates = joined("{}, {}", latitude, longitude)
fips = joined("250{}", of("01", "03", "05", "07", "09", "11", "13", "15", "17", "21", "23", "25", "27"))
tract = joined("{}{}", fips, like("######"))
zip5 = rarely(joined("{}{}", of(*FEW_LIVE_THERE), like("##")), of(*ZIPS), 0.2)
zip9 = joined("{}-{}", zip5, like("####"))

# days


def day(earliest: int = 2019, latest: int = 2024) -> Callable[[random.Random], dt.date]:
    """A day of these years."""
    start, end = dt.date(earliest, 1, 1).toordinal(), dt.date(latest, 12, 31).toordinal()
    return lambda rng: dt.date.fromordinal(rng.randint(start, end))


recent = day()
birthday = day(1925, 2010)


def written(form: str, which: Callable[[random.Random], dt.date] = recent) -> Maker:
    """A day as text, written as `strftime` does."""
    return lambda rng: which(rng).strftime(form)


def moment(form: str = "", which: Callable[[random.Random], dt.date] = recent) -> Maker:
    """A day with a time, as text if it has a form."""

    def make(rng: random.Random) -> Any:
        found = dt.datetime.combine(which(rng), dt.time(rng.randrange(24), rng.randrange(60), rng.randrange(60)))
        return found.strftime(form) if form else found

    return make


def in_words(names: Sequence[str], form: str = "{day} {month} {year}") -> Maker:
    """A day with the month in words."""

    def make(rng: random.Random) -> str:
        found = recent(rng)
        return form.format(day=found.day, month=names[found.month - 1], year=found.year)

    return make


def since(epoch: dt.date, unit: int = 1, which: Callable[[random.Random], dt.date] = recent) -> Maker:
    """Days since an epoch, or so many units a day."""
    return lambda rng: (which(rng) - epoch).days * unit + (rng.randrange(unit) if unit > 1 else 0)


def sas(rng: random.Random) -> str:
    """A day as SAS writes it: 17MAY2024."""
    return recent(rng).strftime("%d%b%Y").upper()


def quarter(form: str) -> Maker:
    """A quarter of a year."""

    def make(rng: random.Random) -> str:
        found = recent(rng)
        return form.format(year=found.year, quarter=(found.month + 2) // 3)

    return make


def era(rng: random.Random) -> str:
    """A day by the Japanese calendar."""
    found = day(2019, 2024)(rng)
    return f"令和{found.year - 2018}年{found.month}月{found.day}日"


# ages


def old(rng: random.Random) -> int:
    """An age in years; every tenth is over 89."""
    return rng.randint(90, 104) if rng.random() < 0.1 else rng.randint(18, 89)


def aged(form: str) -> Maker:
    """An age in words."""
    return lambda rng: form.format(old(rng))


def band(rng: random.Random) -> str:
    """A band of five years, also beyond 89."""
    bottom = old(rng) // 5 * 5
    return f"{bottom}-{bottom + 4}"


# numbers of people, accounts, things

phone = like("617-555-01##")
phone_spaced = like("617 555 01##")
phone_long = like("+1 (617) 555-01## x##")
phone_dotted = like("617.555.01##")
phone_digits = whole(6175550100, 6175550199)
email = joined("{}{}@example.org", of(*(name.lower() for name in FIRST)), like("##"))
ssn = like("9##-##-####")
ssn_digits = like("9########")
mrn = like("00######")
url = joined("https://www.example.org/people/{}", number(5))
ipv4 = like("192.0.2.1##")
ipv6 = like("2001:db8:????::????")
vin = like("1HGCM826##@######")
plate = like("#@@ @##")


def guid(rng: random.Random) -> str:
    """A universally unique number."""
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))


def checked(digits: str, length: int) -> Maker:
    """Digits that end in a check digit by Luhn's rule: cards, NPIs (as if 80840 came before)."""

    def make(rng: random.Random) -> str:
        body = digits + "".join(str(rng.randrange(10)) for _ in range(length - len(digits) - 1))
        total = 24 if length == 10 else 0
        for at, sign in enumerate(reversed(body)):
            total += sum(divmod(int(sign) * 2, 10)) if at % 2 == 0 else int(sign)
        return body + str(-total % 10)

    return make


def iban(rng: random.Random) -> str:
    """A German account with its check digits."""
    account = "".join(str(rng.randrange(10)) for _ in range(18))
    check = 98 - int(account + "131400") % 97
    return f"DE{check:02d}{account}"


def note(rng: random.Random) -> str:
    """Free text that may name somebody."""
    words = [rng.choice(WORDS) for _ in range(rng.randint(8, 20))]
    words.insert(rng.randrange(len(words)), full(rng) if rng.random() < 0.3 else "he")
    return " ".join(words).capitalize() + "."
