"""How the columns of the made-up census depend on each other, as tables of weights.

The numbers are made up, by rule of thumb, so that the table has the shape of a real one: an age pyramid,
one country of birth that dominates, schooling that depends on age and origin, work that depends on
schooling, pay on all of it. They say nothing about any real population.
"""

from __future__ import annotations

import numpy as np

from sfumato.datasets.census_domains import AGES, COUNTRIES, EDUCATION_LEVELS, OCCUPATIONS, ORIGINS
from sfumato.datasets.sampling import Floats

JOBS = [job for field in OCCUPATIONS.values() for job in field]
COUNTRY_ROWS = [row for continent in COUNTRIES.values() for row in continent.values()]
COUNTRY_ORIGIN = np.array([ORIGINS.index(origin) for _, origin in COUNTRY_ROWS])

_AGE: Floats = np.arange(AGES.start, AGES.stop, dtype=np.float64)
_LEVEL: Floats = np.arange(EDUCATION_LEVELS.start, EDUCATION_LEVELS.stop, dtype=np.float64)

# How common the 17 levels are at forty: few without school, many with a diploma, many with a degree.
_SCHOOLING = [10, 8, 15, 20, 20, 28, 30, 25, 220, 45, 75, 140, 85, 170, 75, 18, 12]

# How schooling shifts with the origin (order of ORIGINS).
_SCHOOLING_SHIFT = [0.0, -0.24, -0.06, 0.04, 0.11, 0.12, 0.08, 0.07, 0.10, 0.03]

# Origin -> weight of each race, in the order of ORIGINS and RACES.
_RACE = [
    [815, 120, 12, 4, 3.5, 6, 1.5, 20, 18],  # native
    [480, 25, 18, 1, 1, 3, 1, 60, 411],  # latin
    [60, 800, 4, 8, 0.5, 40, 1, 60, 26.5],  # caribbean
    [950, 15, 1, 1, 1, 6, 1, 15, 10],  # european
    [12, 1, 0.5, 955, 3, 15, 1, 11, 1.5],  # chinese
    [90, 6, 0.5, 10, 850, 18, 2, 20, 3.5],  # japanese
    [30, 4, 1, 45, 1, 870, 9, 30, 10],  # asian
    [900, 12, 1, 1, 0.5, 25, 0.5, 30, 30],  # middle eastern
    [45, 900, 1, 1, 0.5, 12, 0.5, 30, 10],  # african
    [500, 10, 1, 12, 1, 25, 400, 45, 6],  # oceanian
]

_PUBLIC = slice(2, 5)
_OWN = slice(5, 7)
NEVER_WORKED = 9


def _step(x: Floats, middle: float, width: float) -> Floats:
    return np.asarray(1 / (1 + np.exp((middle - x) / width)), dtype=np.float64)


def age_weights() -> Floats:
    """Adults by age: broad up to the mid-fifties, then ever narrower."""
    bulge = 1 + 0.25 * np.exp(-(((_AGE - 40) / 10) ** 2))
    return np.asarray(bulge * (1 - _step(_AGE, 66, 9)) + 0.004, dtype=np.float64)


def gender_weights() -> Floats:
    """Women and men by age: women live longer."""
    women = 0.49 + 0.22 * _step(_AGE, 80, 7)
    return np.stack([women, 1 - women], axis=-1)


def country_weights() -> Floats:
    """Country of birth by age: people move when they are of working age."""
    people = np.array([count for count, _ in COUNTRY_ROWS], dtype=np.float64)
    native = ORIGINS.index("native")
    moved = 0.75 + 0.55 * np.exp(-(((_AGE - 36) / 12) ** 2))
    return np.where(native == COUNTRY_ORIGIN, people, people * moved[:, None])


def race_weights() -> Floats:
    """Race by origin."""
    return np.array(_RACE, dtype=np.float64)


def education_weights() -> Floats:
    """Level of schooling by age and origin: older people had less, and the young have not finished."""
    tilt = np.array(_SCHOOLING_SHIFT)[None, :, None] - 0.0030 * (_AGE[:, None, None] - 42)
    reached = np.interp(_AGE, [17, 18, 20, 22, 24, 27], [8, 9.5, 12, 14, 15, 17])
    beyond = np.maximum(_LEVEL[None, None, :] - reached[:, None, None], 0)
    weights = np.array(_SCHOOLING) * np.exp(tilt * (_LEVEL - 10) - 2.5 * beyond)
    return np.asarray(weights, dtype=np.float64)


def marital_weights() -> Floats:
    """Marital status by gender and age, in the order of the taxonomy."""
    return np.stack([_marital(26.5, 0.65, 76), _marital(28.5, 0.40, 82)])


def _marital(wedding: float, bereaved: float, widowing: float) -> Floats:
    never = 0.06 + 0.94 * (1 - _step(_AGE, wedding, 3.2))
    widowed = (1 - never) * bereaved * _step(_AGE, widowing, 6.5) + 0.0004
    other = np.maximum(1 - never - widowed, 0.01)
    divorced = other * (0.04 + 0.16 * np.exp(-(((_AGE - 52) / 16) ** 2)))
    separated, absent = 0.035 * other, 0.025 * other
    present = other - divorced - separated - absent
    return np.stack([present, absent, separated, divorced, widowed, never], axis=-1)


def work_class_weights() -> Floats:
    """Work class by age and schooling, in the order of the taxonomy."""
    age, level = np.broadcast_arrays(_AGE[:, None], _LEVEL[None, :])
    schooled = _step(level, 13, 1.2)
    settled = _step(age, 38, 8)
    starting = np.exp(-(age - 17) / 4)
    weights = [
        0.68 - 0.22 * schooled,  # private company
        0.04 + 0.07 * schooled,  # non-profit organization
        0.015 + 0.025 * settled,  # federal government
        0.025 + 0.04 * schooled,  # state government
        0.035 + 0.07 * schooled,  # local government
        0.004 + (0.03 + 0.02 * schooled) * settled,  # self-employed, incorporated
        0.02 + 0.07 * settled,  # self-employed, not incorporated
        0.004 + 0.004 * starting,  # unpaid family worker
        0.03 + 0.06 * (1 - schooled) * (1 - settled) + 0.02 * (level < 9),  # unemployed
        0.003 + 0.16 * starting * (1 - schooled) + 0.01 * (level < 5),  # never worked
    ]
    return np.stack([np.broadcast_to(weight, age.shape) for weight in weights], axis=-1)


def occupation_weights() -> Floats:
    """Occupation by gender, schooling and work class."""
    share, schooling, women = (np.array(column) for column in list(zip(*JOBS, strict=True))[1:4])
    fit = np.exp(-(((_LEVEL[:, None] - schooling) / 2.4) ** 2) / 2) + 0.01
    # Narrow jobs are not rarer for it: each keeps its share whatever its level of schooling.
    fit /= (np.array(_SCHOOLING)[:, None] * fit).sum(axis=0)
    gender = np.stack([women, 1 - women])
    weights = share * gender[:, None, None, :] * fit[None, :, None, :] * _sector()[None, None, :, :]
    weights[:, :, NEVER_WORKED, -1] = 9 * weights[:, :, NEVER_WORKED, :-1].sum(axis=-1)
    return np.asarray(weights, dtype=np.float64)


def _sector() -> Floats:
    """How much likelier each job is in each work class."""
    factor = np.ones((10, len(JOBS)))
    factor[_PUBLIC] = [job.public for job in JOBS]
    factor[_OWN] = [job.own for job in JOBS]
    return factor


# What the salary model adds up, as logarithms.
LOG_PAY = np.log([job.pay for job in JOBS])
LOG_PAY_AGE = np.log(0.45 + 0.75 * _step(_AGE, 27, 4.5) - 0.35 * _step(_AGE, 68, 4))
LOG_PAY_LEVEL = 0.035 * (_LEVEL - 11)
LOG_PAY_GENDER = np.array([-0.09, 0.05])
# Full pay everywhere but outside paid work; the self-employed vary most, which their mean shows too.
LOG_PAY_WORK = np.log([1, 0.95, 1.1, 1, 0.98, 1.35, 0.85, 0.08, 0.35, 0.15])
PAY_SPREAD = 0.42
