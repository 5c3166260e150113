"""Tables as they come from offices, with what a careful person would call each of their columns.

The keys were written before the suggestions, but for survey weights, which were plain until there was a role for them.
``TUNED`` are the tables that suggestions were improved on, ``HELD_OUT`` two more on which they were only measured. All
people are made up.
"""

from __future__ import annotations

import csv
import datetime as dt
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

N, P, Q, S, A, W = "identifier", "person", "quasi-identifier", "sensitive", "plain", "weight"

FIRST = [
    "Anna",
    "Boris",
    "Chiara",
    "David",
    "Elif",
    "Farid",
    "Greta",
    "Hugo",
    "Ines",
    "Jonas",
    "Karim",
    "Lea",
    "Marta",
    "Nils",
    "Olga",
    "Paul",
    "Rosa",
    "Sven",
    "Tara",
    "Uwe",
]
LAST = [
    "Abel",
    "Bauer",
    "Costa",
    "Duval",
    "Eriksen",
    "Fuchs",
    "Garcia",
    "Huber",
    "Ivanov",
    "Jansen",
    "Keller",
    "Lopez",
    "Moreau",
    "Novak",
    "Olsen",
    "Perez",
]
WORDS = [
    "patient",
    "came",
    "late",
    "and",
    "asked",
    "for",
    "a",
    "second",
    "opinion",
    "about",
    "the",
    "left",
    "knee",
    "after",
    "the",
    "fall",
    "at",
    "home",
]


@dataclass(frozen=True)
class Made:
    """A table: its cells as text, column by column, the roles that its columns have, and how it is written."""

    name: str
    columns: dict[str, list[str]]
    roles: dict[str, str]
    separator: str = ","

    def write(self, folder: Path) -> Path:
        path = folder / f"{self.name}.csv"
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, delimiter=self.separator)
            writer.writerow(self.columns)
            writer.writerows(zip(*self.columns.values(), strict=True))
        return path


class Draw:
    """Draws cells of a table with a given number of rows."""

    def __init__(self, seed: int, rows: int) -> None:
        self.random = random.Random(seed)
        self.rows = rows

    def each(self, make: Callable[[], object]) -> list[str]:
        return [str(make()) for _ in range(self.rows)]

    def among(self, values: Sequence[object], weights: Sequence[float] | None = None) -> list[str]:
        return [str(one) for one in self.random.choices(values, weights, k=self.rows)]

    def whole(self, low: int, high: int) -> list[str]:
        return self.each(lambda: self.random.randint(low, high))

    def skewed(self, low: int, high: int, top: int) -> list[str]:
        return self.each(lambda: int(self.random.triangular(low, high, top)))

    def normal(self, mean: float, spread: float, digits: int = 1) -> list[str]:
        return self.each(lambda: round(max(0.0, self.random.gauss(mean, spread)), digits))

    def money(self, middle: float, form: str = "{:.2f}") -> list[str]:
        return self.each(lambda: form.format(self.random.lognormvariate(0, 0.6) * middle))

    def days(self, first: str, last: str, *forms: str) -> list[str]:
        begin, end = dt.date.fromisoformat(first), dt.date.fromisoformat(last)
        moments = [begin + dt.timedelta(days=self.random.randint(0, (end - begin).days)) for _ in range(self.rows)]
        return [day.strftime(self.random.choice(forms or ("%Y-%m-%d",))) for day in moments]

    def text(self, words: Sequence[str] = WORDS) -> list[str]:
        return self.each(lambda: " ".join(self.random.choices(words, k=self.random.randint(6, 18))).capitalize() + ".")

    def names(self, form: str = "{first} {last}") -> list[str]:
        return self.each(lambda: form.format(first=self.random.choice(FIRST), last=self.random.choice(LAST)))

    def mail(self, where: str) -> list[str]:
        return [f"{name.lower()}{self.random.randint(1, 9999)}@{where}" for name in self.names("{first}.{last}")]

    def digits(self, count: int) -> list[str]:
        return self.each(lambda: str(self.random.randint(10 ** (count - 1), 10**count - 1)))

    def lacking(self, cells: list[str], share: float, word: str = "") -> list[str]:
        return [word if self.random.random() < share else cell for cell in cells]

    def repeated(self, people: int) -> list[int]:
        return [self.random.randrange(people) for _ in range(self.rows)]

    def per_person(self, who: Sequence[int], cells: Sequence[str]) -> list[str]:
        return [cells[one % len(cells)] for one in who]


def iban(number: int) -> str:
    """Return a German account number with its check digits."""
    account = f"{37040044:08d}{number:010d}"
    return f"DE{98 - int(account + '131400') % 97:02d}{account}"


def hospital() -> Made:
    draw = Draw(1, 900)
    who = draw.repeated(500)
    icd = ["I10", "E11.9", "J45.0", "K21.9", "F32.1", "M54.5", "C50.9", "N39.0", "J06.9", "I25.1", "E66.0", "G43.9"]
    columns = {
        "Patient-ID": [f"P{100_000 + one * 37}" for one in who],
        "Name": draw.per_person(who, draw.names("{last}, {first}")),
        "DOB": draw.per_person(who, draw.days("1932-01-01", "2004-12-31", "%d.%m.%Y", "%Y-%m-%d")),
        "Sex": draw.per_person(who, draw.among(["F", "M", "?"], [50, 48, 2])),
        "ZIP code": draw.per_person(
            who, draw.each(lambda: f"{draw.random.choice([21, 24, 1])}{draw.random.randint(10, 39)}".zfill(5))
        ),
        "Admission date": draw.days("2022-01-01", "2023-12-31", "%m/%d/%Y"),
        "LOS (days)": draw.skewed(0, 30, 2),
        "Ward": draw.among(["Cardiology", "Surgery", "Oncology", "Internal", "Psychiatry"]),
        "ICD-10": draw.among(icd, range(14, 2, -1)),
        "Charges ($)": draw.money(2500, "{:,.2f}"),
        "Readmitted": draw.among(["Y", "N"], [1, 5]),
        "Insurance no.": draw.per_person(
            who, draw.each(lambda: f"{draw.random.choice('ABKMS')}{draw.random.randint(10**8, 10**9 - 1)}")
        ),
        "Notes": draw.lacking(draw.text(), 0.3),
    }
    roles = [P, N, Q, Q, Q, Q, Q, Q, S, S, S, N, N]
    return Made("hospital", columns, dict(zip(columns, roles, strict=True)))


def survey() -> Made:
    draw = Draw(2, 700)
    columns = {
        "respondent": [f"R{number:05d}" for number in draw.random.sample(range(99_999), draw.rows)],
        "wave": draw.among([3]),
        "weight": draw.each(
            lambda: (
                f"{draw.random.choice([0.4, 0.7, 0.9, 1.0, 1.2, 1.5, 2.1]) * draw.random.choice([1, 1.1, 0.95]):.3f}"
            )
        ),
        "interview_date": draw.days("2019-03-01", "2019-04-15"),
        "mode": draw.among(["CAPI", "CATI", "Web"], [3, 2, 5]),
        "region": draw.among(["North", "South", "East", "West", "Centre"]),
        "age group": draw.among(["18-24", "25-34", "35-49", "50-64", "65+"]),
        "gender": draw.among(["female", "male", "non-binary"], [50, 48, 2]),
        "highest_education": draw.among(
            ["none", "primary", "lower secondary", "upper secondary", "bachelor", "master"]
        ),
        "employment": draw.among(["employed", "unemployed", "retired", "student", "-8"], [55, 6, 25, 12, 2]),
        "hh_size": draw.skewed(1, 7, 2),
        "hh_income": draw.lacking(draw.each(lambda: 50 * draw.random.randint(16, 130)), 0.1, "99999"),
        "q1_trust_gov": draw.lacking(draw.whole(1, 5), 0.05, "9"),
        "q2_vote_intention": draw.among(["Party A", "Party B", "Party C", "none", "refused"], [30, 25, 20, 15, 10]),
        "q3_life_satisfaction": draw.whole(0, 10),
        "q4_religion": draw.among(["catholic", "protestant", "muslim", "none", "other"]),
        "open_comment": draw.lacking(draw.text(), 0.6),
    }
    roles = [N, A, W, Q, A, Q, Q, Q, Q, Q, Q, S, S, S, S, S, N]
    return Made("survey", columns, dict(zip(columns, roles, strict=True)))


def school() -> Made:
    draw = Draw(3, 500)
    columns = {
        "student_no": [str(number) for number in draw.random.sample(range(200_000, 260_000), draw.rows)],
        "Surname": draw.among(LAST),
        "First name": draw.among(FIRST),
        "school": draw.among([f"School {letter}" for letter in "ABCDE"]),
        "class": draw.among([f"{year}{letter}" for year in (5, 6, 7) for letter in "abc"]),
        "birth year": draw.whole(2008, 2011),
        "sex": draw.among(["w", "m"]),
        "mother tongue": draw.among(["german", "turkish", "arabic", "polish", "other"], [60, 12, 8, 8, 12]),
        "free lunch": draw.among(["yes", "no"], [1, 3]),
        "special needs": draw.lacking(draw.among(["dyslexia", "adhd", "hearing"]), 0.85, "none"),
        "math grade": draw.lacking(draw.skewed(1, 7, 3), 0.02, "n/a"),
        "reading score": draw.normal(500, 90, 0),
        "days absent": draw.skewed(0, 40, 2),
        "class teacher": draw.among([f"{first} {last}" for first, last in zip(FIRST[:9], LAST[:9], strict=True)]),
        "guardian e-mail": draw.mail("example.org"),
    }
    roles = [N, N, N, Q, Q, Q, Q, Q, S, S, S, S, S, N, N]
    return Made("school", columns, dict(zip(columns, roles, strict=True)), ";")


def flights() -> Made:
    draw = Draw(4, 800)
    airports = ["FRA", "CDG", "MAD", "LHR", "JFK", "SIN"]

    def moment() -> str:
        day = dt.datetime(2023, 5, 1) + dt.timedelta(minutes=5 * draw.random.randrange(288 * 20))
        return day.strftime("%Y-%m-%d %H:%M")

    columns = {
        "PNR": draw.each(lambda: "".join(draw.random.choices("ABCDEFGHJKLMNPQRSTUVWXYZ23456789", k=6))),
        "passenger": draw.names("{last}/{first} MRS"),
        "passport no": draw.each(lambda: f"C{draw.random.randint(10**7, 10**8 - 1)}X"),
        "FF#": draw.lacking(draw.digits(12), 0.6),
        "nationality": draw.among(["DE", "FR", "ES", "GB", "US", "SG"], [30, 20, 15, 15, 12, 8]),
        "year_of_birth": draw.whole(1940, 2015),
        "origin": draw.among(airports),
        "dest": draw.among(airports[::-1]),
        "dep_time": draw.each(moment),
        "cabin": draw.among(["Economy", "Premium", "Business", "First"], [70, 15, 12, 3]),
        "bags": draw.skewed(0, 4, 1),
        "fare_eur": draw.money(320),
        "special meal": draw.lacking(draw.among(["KSML", "MOML", "VGML", "DBML"]), 0.8, "none"),
        "payment card": draw.each(lambda: "4" + "".join(draw.random.choices("0123456789", k=15))),
    }
    roles = [N, N, N, N, Q, Q, Q, Q, Q, Q, Q, S, S, N]
    return Made("flights", columns, dict(zip(columns, roles, strict=True)), "\t")


def credit() -> Made:
    draw = Draw(5, 1000)
    columns = {
        "Unnamed: 0": [str(number) for number in range(draw.rows)],
        "cust_id": [str(number) for number in draw.random.sample(range(10**6, 10**7), draw.rows)],
        "account": draw.each(lambda: iban(draw.random.randrange(10**10))),
        "phone": draw.each(lambda: f"+49 {draw.random.randint(151, 179)} {draw.random.randint(10**6, 10**8)}"),
        "last_login_ip": draw.each(lambda: ".".join(str(draw.random.randint(1, 254)) for _ in range(4))),
        "age": draw.skewed(18, 85, 35),
        "marital status": draw.among(["single", "married", "divorced", "widowed"], [35, 45, 15, 5]),
        "job": draw.among(["unskilled", "skilled", "management", "self-employed", "unemployed"], [15, 55, 15, 10, 5]),
        "housing": draw.among(["own", "rent", "free"], [60, 30, 10]),
        "dependants": draw.among([0, 1, 2, 3], [60, 20, 15, 5]),
        "employed since": draw.days("1995-01-01", "2023-12-31", "%m/%Y"),
        "annual income": draw.lacking(draw.money(38_000, "{:.0f}"), 0.05, "NULL"),
        "savings": draw.among(["<100", "100-500", "500-1000", ">1000", "unknown"], [40, 20, 10, 10, 20]),
        "credit_history": draw.among(["critical", "delayed", "paid", "no credits"]),
        "credit amount": draw.money(3200, "{:.0f}"),
        "purpose": draw.among(["car", "furniture", "education", "repairs", "business"]),
        "defaulted": draw.among([0, 1], [4, 1]),
    }
    roles = [N, N, N, N, N, Q, Q, Q, Q, Q, Q, S, S, S, S, S, S]
    return Made("credit", columns, dict(zip(columns, roles, strict=True)))


def census() -> Made:
    draw = Draw(6, 1200)
    columns = {
        "SERIALNO": [f"2019GQ{number:07d}" for number in draw.random.sample(range(10**7), draw.rows)],
        "PUMA": draw.among(["00301", "00302", "00400", "01100"]),
        "PWGTP": draw.skewed(1, 60, 15),
        "AGEP": draw.skewed(0, 95, 38),
        "SEX": draw.among([1, 2]),
        "RAC1P": draw.among([1, 2, 3, 6, 8, 9], [70, 12, 1, 6, 6, 5]),
        "MAR": draw.among([1, 2, 3, 4, 5], [45, 6, 10, 2, 37]),
        "SCHL": draw.skewed(1, 25, 18),
        "OCCP": draw.lacking(draw.among(["0110", "0230", "1021", "2310", "3255", "4020", "4720", "5120", "9130"]), 0.3),
        "POBP": draw.among(["001", "006", "036", "048", "110", "207", "303"], [40, 20, 10, 10, 5, 5, 10]),
        "CIT": draw.among([1, 3, 4, 5], [80, 3, 9, 8]),
        "hours worked per week": draw.lacking(draw.skewed(1, 99, 40), 0.3),
        "household type": draw.among(["couple", "single", "lone parent", "other"]),
        "DIS": draw.among([1, 2], [14, 86]),
        "WAGP": draw.each(lambda: draw.random.choice([0, 500 * draw.random.randint(1, 260)])),
        "HINS": draw.among(["employer", "medicaid", "none", "direct"], [55, 20, 10, 15]),
    }
    roles = [N, Q, W, Q, Q, Q, Q, Q, Q, Q, Q, Q, Q, S, S, S]
    return Made("census", columns, dict(zip(columns, roles, strict=True)))


def movement() -> Made:
    draw = Draw(7, 1500)
    who = draw.repeated(300)
    columns = {
        "device_id": [f"{one * 2654435761 % 2**32:08x}" for one in who],
        "birthyear": draw.per_person(who, draw.whole(1945, 2005)),
        "gender": draw.per_person(who, draw.among(["f", "m", "d"], [49, 49, 2])),
        "home_postcode": draw.per_person(
            who, draw.among([f"CF{area} {part}AB" for area in (10, 11, 14) for part in (1, 2, 3)])
        ),
        "date": draw.days("2024-02-01", "2024-02-14", "%d/%m/%Y"),
        "time": draw.each(lambda: f"{draw.random.randint(5, 23):02d}:{draw.random.randint(0, 59):02d}"),
        "lat": draw.each(lambda: f"{draw.random.gauss(51.48, 0.03):.5f}"),
        "lon": draw.each(lambda: f"{draw.random.gauss(-3.18, 0.05):.5f}"),
        "speed_kmh": draw.normal(22, 14),
        "transport": draw.among(["walk", "bike", "car", "bus"]),
        "visited": draw.among(["home", "office", "clinic", "shop", "mosque", "school"], [40, 25, 5, 20, 3, 7]),
        "trip": [f"T{number:06d}" for number in range(1, draw.rows + 1)],
    }
    roles = [P, Q, Q, Q, Q, Q, Q, Q, S, Q, S, N]
    return Made("movement", columns, dict(zip(columns, roles, strict=True)))


def panel() -> Made:
    draw = Draw(8, 600)
    labs = {
        "hb_g_dl": (13.8, 1.5),
        "wbc": (7.1, 2.0),
        "plt": (250, 60),
        "crp": (4, 4),
        "alt_u_l": (28, 12),
        "ast": (26, 9),
        "creatinine": (0.9, 0.3),
        "egfr": (85, 20),
        "hba1c": (5.8, 0.9),
        "glucose": (101, 22),
        "ldl": (120, 32),
        "hdl": (52, 14),
        "triglycerides": (140, 70),
        "tsh": (2.1, 1.0),
        "sodium": (139, 3),
        "potassium": (4.2, 0.4),
        "sys_bp": (128, 16),
        "dia_bp": (79, 10),
        "heart_rate": (72, 11),
        "spo2": (97, 2),
        "ferritin": (110, 80),
        "vitamin_d": (26, 9),
        "psa": (1.4, 1.1),
        "albumin": (4.2, 0.4),
    }
    columns = {
        "subject_id": [f"S-{number:04d}" for number in draw.random.sample(range(10_000), draw.rows)],
        "initials": draw.each(lambda: draw.random.choice(FIRST)[0] + draw.random.choice(LAST)[0]),
        "site": draw.among(["01", "02", "03", "04"]),
        "age_at_enrolment": draw.skewed(18, 90, 60),
        "sex": draw.among(["Male", "Female"]),
        "ethnicity": draw.among(["White", "Black", "Asian", "Other", "Unknown"], [70, 12, 9, 6, 3]),
        "height_cm": draw.normal(171, 9, 0),
        "weight_kg": draw.normal(78, 14, 1),
        "diagnosis_date": draw.days("2010-01-01", "2021-12-31"),
        "dx_code": draw.among(["C50.1", "C34.9", "C18.7", "C61", "C25.0", "C90.0"]),
        "tumour stage": draw.among(["I", "II", "III", "IV"]),
        "atc": draw.among(["L01BC05", "L01CD01", "L02BA01", "L04AX03", "A10BA02"]),
        "smoker": draw.among(["never", "former", "current", "NA"], [50, 30, 18, 2]),
        "arm": draw.among(["A", "B"]),
        "died": draw.among(["0", "1"], [8, 2]),
        "consent": draw.among(["yes"]),
        "remarks": draw.lacking(draw.text(), 0.5),
        **{name: draw.lacking(draw.normal(*shape), 0.04, "-9") for name, shape in labs.items()},
    }
    roles = [N, N, Q, Q, Q, Q, Q, Q, Q, S, S, S, S, S, S, A, N, *[S] * len(labs)]
    return Made("panel", columns, dict(zip(columns, roles, strict=True)))


def payroll() -> Made:
    draw = Draw(9, 600)
    places = {"20095": "Hamburg", "20354": "Hamburg", "28195": "Bremen", "24103": "Kiel", "23552": "Lübeck"}
    codes = draw.among(list(places))
    columns = {
        "Personalnummer": [str(number) for number in draw.random.sample(range(10_000, 99_999), draw.rows)],
        "Nachname": draw.among(LAST),
        "Vorname": draw.among(FIRST),
        "Geburtsdatum": draw.days("1957-01-01", "2003-12-31", "%d.%m.%Y"),
        "Geschlecht": draw.among(["w", "m", "d"], [48, 50, 2]),
        "Familienstand": draw.among(["ledig", "verheiratet", "geschieden", "k.A."], [40, 45, 12, 3]),
        "PLZ": codes,
        "Wohnort": [places[code] for code in codes],
        "Abteilung": draw.among(["Einkauf", "Vertrieb", "IT", "Personal", "Lager"]),
        "Eintrittsdatum": draw.days("1985-01-01", "2023-12-31", "%d.%m.%Y"),
        "Wochenstunden": draw.among(["20", "30", "35", "40"], [1, 2, 2, 6]),
        "Gehalt brutto": draw.each(lambda: f"{draw.random.randint(2200, 7800):,}".replace(",", ".") + ",00 €"),
        "Krankheitstage": draw.skewed(0, 40, 4),
        "Konfession": draw.among(["ev", "rk", "keine", "andere"]),
        "Schwerbehindert": draw.among(["ja", "nein"], [1, 12]),
        "E-Mail": draw.mail("firma.example"),
        "Bankverbindung": draw.each(lambda: iban(draw.random.randrange(10**10))),
        "Bemerkung": draw.lacking(
            draw.text(
                [
                    "bitte",
                    "beachten",
                    "dass",
                    "die",
                    "Kollegin",
                    "ab",
                    "Mai",
                    "in",
                    "Elternzeit",
                    "geht",
                    "und",
                    "Urlaub",
                    "hat",
                ]
            ),
            0.7,
        ),
    }
    roles = [N, N, N, Q, Q, Q, Q, Q, Q, Q, Q, S, S, S, S, N, N, N]
    return Made("payroll", columns, dict(zip(columns, roles, strict=True)), ";")


def telecom() -> Made:
    draw = Draw(10, 900)
    cities = {
        "Lyon": "Auvergne-Rhône-Alpes",
        "Grenoble": "Auvergne-Rhône-Alpes",
        "Nantes": "Pays de la Loire",
        "Lille": "Hauts-de-France",
    }
    city = draw.among(list(cities))
    columns = {
        "customerID": draw.each(
            lambda: f"{draw.random.randint(1000, 9999)}-{''.join(draw.random.choices('ABCDEFGHIKLMN', k=5))}"
        ),
        "msisdn": draw.each(lambda: f"336{draw.random.randint(10**7, 10**8 - 1)}"),
        "IMEI": draw.digits(15),
        "nom": draw.names(),
        "date de naissance": draw.days("1940-01-01", "2005-12-31", "%d/%m/%Y"),
        "sexe": draw.among(["F", "H"]),
        "ville": city,
        "région": [cities[one] for one in city],
        "SeniorCitizen": draw.among([0, 1], [5, 1]),
        "Dependents": draw.among(["Yes", "No"]),
        "tenure_months": draw.skewed(0, 72, 10),
        "Contract": draw.among(["Month-to-month", "One year", "Two year"]),
        "InternetService": draw.among(["DSL", "Fiber optic", "No"]),
        "MonthlyCharges": draw.money(42),
        "data_used_gb": draw.normal(18, 9, 2),
        "support_calls": draw.skewed(0, 12, 1),
        "Churn": draw.among(["Yes", "No"], [1, 3]),
        "commentaire": draw.lacking(
            draw.text(
                [
                    "le",
                    "client",
                    "demande",
                    "pourquoi",
                    "la",
                    "facture",
                    "du",
                    "mois",
                    "dernier",
                    "est",
                    "plus",
                    "haute",
                ]
            ),
            0.5,
        ),
    }
    roles = [N, N, N, N, Q, Q, Q, Q, Q, Q, Q, Q, Q, S, S, S, S, N]
    return Made("telecom", columns, dict(zip(columns, roles, strict=True)))


TUNED = (hospital, survey, school, flights, credit, census, movement, panel)
HELD_OUT = (payroll, telecom)
