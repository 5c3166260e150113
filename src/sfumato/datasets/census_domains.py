"""The columns of the made-up census: labels, taxonomies, and how common each value is."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

AGES = range(17, 96)
EDUCATION_LEVELS = range(1, 18)
GENDERS = ("Female", "Male")

MARITAL_STATUS = {
    "Married": ["Married, spouse present", "Married, spouse absent"],
    "Formerly married": ["Separated", "Divorced", "Widowed"],
    "Unmarried": ["Never married"],
}

RACES = (
    "White",
    "Black",
    "American Indian",
    "Chinese",
    "Japanese",
    "Other Asian",
    "Pacific Islander",
    "Mixed",
    "Other",
)

WORK_CLASS = {
    "Working": {
        "Private sector": ["Private company", "Non-profit organization"],
        "Public sector": ["Federal government", "State government", "Local government"],
        "Own business": ["Self-employed, incorporated", "Self-employed, not incorporated"],
    },
    "Not paid": {
        "Family business": ["Unpaid family worker"],
        "Out of work": ["Unemployed", "Never worked"],
    },
}

# Whom a country's emigrants resemble in race and schooling.
ORIGINS = (
    "native",
    "latin",
    "caribbean",
    "european",
    "chinese",
    "japanese",
    "asian",
    "middle eastern",
    "african",
    "oceanian",
)

# Continent -> country -> (relative number of people, origin).
COUNTRIES: dict[str, dict[str, tuple[float, str]]] = {
    "North America": {
        "United States": (9900, "native"),
        "Canada": (52, "european"),
        "Mexico": (390, "latin"),
    },
    "Central America and Caribbean": {
        "Guatemala": (34, "latin"),
        "El Salvador": (48, "latin"),
        "Honduras": (22, "latin"),
        "Nicaragua": (14, "latin"),
        "Costa Rica": (6, "latin"),
        "Panama": (8, "latin"),
        "Belize": (4, "caribbean"),
        "Cuba": (44, "latin"),
        "Haiti": (26, "caribbean"),
        "Dominican Republic": (36, "latin"),
        "Jamaica": (30, "caribbean"),
        "Trinidad and Tobago": (11, "caribbean"),
        "Puerto Rico": (50, "latin"),
        "Barbados": (5, "caribbean"),
    },
    "South America": {
        "Colombia": (28, "latin"),
        "Ecuador": (18, "latin"),
        "Peru": (17, "latin"),
        "Brazil": (14, "latin"),
        "Argentina": (8, "latin"),
        "Chile": (6, "latin"),
        "Venezuela": (9, "latin"),
        "Guyana": (12, "caribbean"),
        "Bolivia": (5, "latin"),
    },
    "Europe": {
        "Germany": (48, "european"),
        "United Kingdom": (38, "european"),
        "Ireland": (10, "european"),
        "France": (10, "european"),
        "Italy": (26, "european"),
        "Spain": (6, "european"),
        "Portugal": (12, "european"),
        "Netherlands": (6, "european"),
        "Belgium": (4, "european"),
        "Switzerland": (4, "european"),
        "Austria": (5, "european"),
        "Greece": (10, "european"),
        "Poland": (27, "european"),
        "Hungary": (6, "european"),
        "Romania": (9, "european"),
        "Czechia": (5, "european"),
        "Sweden": (4, "european"),
        "Norway": (4, "european"),
        "Denmark": (4, "european"),
        "Finland": (4, "european"),
        "Ukraine": (18, "european"),
        "Russia": (22, "european"),
        "Lithuania": (4, "european"),
        "Croatia": (4, "european"),
    },
    "Asia": {
        "China": (66, "chinese"),
        "Taiwan": (20, "chinese"),
        "Hong Kong": (13, "chinese"),
        "Japan": (24, "japanese"),
        "South Korea": (50, "asian"),
        "Philippines": (80, "asian"),
        "Vietnam": (58, "asian"),
        "Cambodia": (9, "asian"),
        "Laos": (12, "asian"),
        "Thailand": (11, "asian"),
        "Malaysia": (5, "asian"),
        "Indonesia": (6, "asian"),
        "India": (62, "asian"),
        "Pakistan": (15, "asian"),
        "Bangladesh": (7, "asian"),
        "Iran": (17, "middle eastern"),
        "Iraq": (7, "middle eastern"),
        "Israel": (9, "middle eastern"),
        "Lebanon": (8, "middle eastern"),
        "Turkey": (6, "middle eastern"),
        "Armenia": (5, "middle eastern"),
        "Syria": (5, "middle eastern"),
    },
    "Africa": {
        "Nigeria": (9, "african"),
        "Ghana": (6, "african"),
        "Ethiopia": (6, "african"),
        "Egypt": (8, "middle eastern"),
        "Kenya": (5, "african"),
        "South Africa": (5, "european"),
        "Morocco": (4, "middle eastern"),
        "Liberia": (4, "african"),
    },
    "Oceania": {
        "Australia": (5, "oceanian"),
        "New Zealand": (4, "oceanian"),
        "Samoa": (4, "oceanian"),
    },
}


class Occupation(NamedTuple):
    """Who does a job: how many in 1,000, with how much schooling, how many women, for which pay."""

    label: str
    share: float
    schooling: float
    women: float
    pay: float
    public: float = 1.0
    own: float = 1.0


# Field of work -> jobs. `public` and `own` say how much likelier the job is in public service or in
# self-employment than elsewhere; `pay` is a typical yearly wage.
OCCUPATIONS: dict[str, list[Occupation]] = {
    "Management and finance": [
        Occupation("Chief executive", 9, 14.5, 0.25, 120_000, own=3),
        Occupation("Department manager", 44, 13.5, 0.42, 72_000),
        Occupation("Financial manager", 13, 14, 0.5, 78_000, public=0.5),
        Occupation("Accountant", 22, 14, 0.6, 55_000, own=1.5),
        Occupation("Human resources officer", 13, 13.5, 0.68, 50_000),
        Occupation("Property manager", 8, 12, 0.5, 42_000, own=2),
        Occupation("Farm manager", 10, 10, 0.2, 33_000, public=0.05, own=8),
    ],
    "Science and engineering": [
        Occupation("Software developer", 23, 14.3, 0.26, 78_000),
        Occupation("Engineer", 20, 14.4, 0.13, 75_000),
        Occupation("Architect", 6, 14.8, 0.25, 68_000, own=3),
        Occupation("Natural scientist", 8, 15.5, 0.4, 66_000, public=2),
        Occupation("Engineering technician", 14, 12.3, 0.2, 45_000),
    ],
    "Health": [
        Occupation("Physician", 9, 16.4, 0.32, 165_000, own=3),
        Occupation("Dentist", 4, 16.2, 0.22, 130_000, own=8),
        Occupation("Registered nurse", 26, 13.6, 0.92, 56_000),
        Occupation("Therapist", 8, 14.8, 0.78, 52_000),
        Occupation("Laboratory technician", 11, 12.8, 0.72, 38_000),
        Occupation("Nursing aide", 27, 10, 0.88, 22_000),
    ],
    "Education, law and arts": [
        Occupation("Primary school teacher", 26, 14.4, 0.8, 42_000, public=6),
        Occupation("Secondary school teacher", 15, 14.6, 0.58, 45_000, public=6),
        Occupation("University teacher", 11, 16.2, 0.45, 62_000, public=4),
        Occupation("Lawyer", 9, 16, 0.34, 115_000, own=3),
        Occupation("Social worker", 12, 14, 0.78, 38_000, public=3),
        Occupation("Clergy", 5, 15, 0.15, 36_000, public=0.02),
        Occupation("Writer or editor", 7, 14, 0.55, 48_000, own=2.5),
        Occupation("Artist or designer", 12, 13, 0.5, 40_000, own=4),
        Occupation("Childcare worker", 17, 10.6, 0.94, 16_000, own=3),
    ],
    "Office and sales": [
        Occupation("Secretary", 46, 11.2, 0.96, 29_000),
        Occupation("Bookkeeper", 25, 11.5, 0.88, 30_000),
        Occupation("Customer service clerk", 40, 11, 0.68, 27_000),
        Occupation("Postal clerk", 11, 11, 0.4, 42_000, public=12),
        Occupation("Retail salesperson", 56, 10.6, 0.52, 27_000, public=0.02),
        Occupation("Cashier", 37, 9, 0.76, 15_000, public=0.1),
        Occupation("Sales representative", 31, 12.6, 0.3, 58_000, public=0.02, own=1.5),
        Occupation("Insurance or estate agent", 15, 12.8, 0.5, 54_000, public=0.02, own=4),
    ],
    "Service and protection": [
        Occupation("Cook", 31, 8.6, 0.42, 17_000),
        Occupation("Waiter", 28, 9.8, 0.72, 15_000, public=0.05),
        Occupation("Cleaner", 42, 8, 0.46, 18_000, own=1.5),
        Occupation("Hairdresser", 11, 10, 0.88, 22_000, public=0.02, own=8),
        Occupation("Police officer", 11, 12.4, 0.15, 50_000, public=14),
        Occupation("Firefighter", 4, 11.8, 0.05, 48_000, public=14),
        Occupation("Security guard", 13, 10.4, 0.24, 25_000),
    ],
    "Trades, transport and land": [
        Occupation("Carpenter", 25, 9, 0.02, 32_000, own=3),
        Occupation("Electrician", 14, 10.2, 0.03, 43_000, own=1.5),
        Occupation("Mechanic", 28, 9.6, 0.03, 35_000, own=1.5),
        Occupation("Machine operator", 52, 8.6, 0.34, 28_000, public=0.1),
        Occupation("Truck driver", 42, 9, 0.06, 33_000, own=1.5),
        Occupation("Warehouse worker", 41, 8.8, 0.22, 22_000, public=0.2),
        Occupation("Farm worker", 14, 6, 0.22, 16_000, public=0.1),
    ],
    "Outside the labour force": [
        Occupation("No occupation", 2, 8.5, 0.5, 1_500),
    ],
}


def _brackets(edges: list[int]) -> tuple[str, ...]:
    inner = [f"{low:,} to {high - 1:,}" for low, high in pairwise(edges)]
    return (f"under {edges[0]:,}", *inner, f"{edges[-1]:,} and more")


# Fifty classes, narrow where most people are.
SALARY_EDGES = [
    *range(2_000, 50_000, 2_000),
    *range(50_000, 100_000, 5_000),
    *range(100_000, 200_000, 10_000),
    200_000,
    225_000,
    250_000,
    300_000,
    400_000,
]
SALARY_CLASSES = _brackets(SALARY_EDGES)
