"""The tables of the papers, coded, each defined once.

Adult is the folder beside the repository, with the hierarchy files that lie in it, or the folder that the environment
variable SFUMATO_ADULT names; real tables of the other papers are in `real_tables`. A downloaded Adult has other
hierarchies, built into `sfumato.datasets`, and so other losses: it is not taken in their place, and experiments without
the folder are skipped and say so.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pyarrow as pa

import sfumato as sf
from benchmarks.measure import ADULT
from benchmarks.papers import real_tables
from benchmarks.papers.experiment import LackingError
from sfumato.datasets import Dataset
from sfumato.datasets.adult_hierarchies import built_in
from sfumato.hierarchies import Hierarchy, Numeric, Ordered, Taxonomy
from sfumato.table.encoding import encode
from sfumato.table.microdata import Microdata

#: The order of attributes in the Incognito paper.
ADULT_ORDER = (
    *("age", "sex", "race", "marital-status", "education"),
    *("native-country", "workclass", "occupation", "salary-class"),
)

#: The five attributes of the Coil table that the EnumMulti paper takes, and how many values each has.
COIL = {"customer_subtype": 41, "houses": 10, "household_size": 6, "age_group": 6, "customer_type": 10}


@cache
def adult_people(rows: int = 30_162) -> Dataset:
    """Load Adult with its hierarchies; raise an error if the file is missing."""
    if not ADULT.exists():
        raise LackingError(
            "the folder with the Adult table and its hierarchy files is missing (beside the repository, or named by "
            "SFUMATO_ADULT)"
        )
    return sf.datasets.adult(ADULT, rows=rows)


@cache
def adult() -> Microdata:
    """Eight quasi-identifiers and the occupation; ages are numbers, categories have their trees."""
    people = adult_people().without_levels()
    return encode(people.table, people.schema.quasi_identifiers, ["occupation"])


@cache
def adult_built_in() -> Microdata:
    """The same rows with the hierarchies that a downloaded Adult has."""
    people = replace(adult_people(), hierarchies=built_in()).without_levels()
    return encode(people.table, people.schema.quasi_identifiers, ["occupation"])


#: The education of Adult by years of schooling, as the table's own column `education-num` counts it from 1.
SCHOOLING = (
    *("Preschool", "1st-4th", "5th-6th", "7th-8th", "9th", "10th", "11th", "12th", "HS-grad", "Some-college"),
    *("Assoc-voc", "Assoc-acdm", "Bachelors", "Masters", "Prof-school", "Doctorate"),
)


@cache
def adult_two_numbers() -> Microdata:
    """Adult as the fast-anonymization paper had it: two numbers among eight attributes, age and years of schooling."""
    people = adult_people().without_levels()
    years = [SCHOOLING.index(value) + 1 for value in people.table.column("education").to_pylist()]
    table = people.table.set_column(people.table.column_names.index("education"), "education", pa.array(years))
    return encode(table, {**people.schema.quasi_identifiers, "education": Numeric()}, ["occupation"])


def adult_shuffled(seed: int) -> Microdata:
    """Adult with the siblings of all its trees in random order; seed 0 is the order of the files."""
    people = adult_people().without_levels()
    random = np.random.default_rng(seed)
    how: dict[str, Hierarchy] = {}
    for name, hierarchy in people.schema.quasi_identifiers.items():
        how[name] = reordered(hierarchy, random) if seed and isinstance(hierarchy, Taxonomy) else hierarchy
    return encode(people.table, how, ["occupation"])


def reordered(tree: Taxonomy, random: np.random.Generator) -> Taxonomy:
    """The same tree with the children of every node in random order."""
    labels = sorted({label for row in tree.rows for label in row})
    place = dict(zip(labels, random.permutation(len(labels)).tolist(), strict=True))
    return Taxonomy(sorted(tree.rows, key=lambda row: [place[label] for label in reversed(row)]))


@cache
def adult_lattice(rows: int = 45_222, attributes: tuple[str, ...] = ADULT_ORDER) -> Microdata:
    """Attributes with their levels, for full-domain recoding: the Incognito paper's nine in its order."""
    people = adult_people(rows)
    return encode(people.table, {name: people.hierarchies[name] for name in attributes})


@cache
def adult_ordered(sensitive: str | None = None, leave_out: tuple[str, ...] = ()) -> Microdata:
    """The attributes of Adult on scales, as block lengths need them: categories in the order of their tree."""
    people = adult_people()
    names = [name for name in people.table.column_names if name not in {sensitive, *leave_out}]
    how: dict[str, Hierarchy] = {name: people.hierarchies[name] for name in names} | {"age": Numeric()}
    for domain in encode(people.table, how).domains:
        if domain.name != "age":
            how[domain.name] = Ordered(domain.texts.to_pylist())
    return encode(people.table, how, [sensitive] if sensitive else [])


@cache
def adult_trees(sensitive: str | None = None) -> Microdata:
    """Nine attributes of Adult, or eight and a sensitive one, with their trees; ages are numbers."""
    people = adult_people()
    names = [name for name in people.table.column_names if name != sensitive]
    how = {name: people.hierarchies[name] for name in names} | {"age": Numeric()}
    return encode(people.table, how, [sensitive] if sensitive else [])


@cache
def census(rows: int) -> Microdata:
    """The fast-anonymization paper's census: a real extract if SFUMATO_IPUMS names one, else a made-up one like it."""
    if real_tables.IPUMS:
        return real_tables.ipums(real_tables.IPUMS, rows)
    people = sf.datasets.census(rows, seed=1).without_levels()
    return encode(people.table, people.schema.quasi_identifiers, ["occupation"])


#: Whether the tables that stand for the papers' own are made up.
CENSUS_MADE_UP, COIL_MADE_UP = not real_tables.IPUMS, not real_tables.COIL_FOLDER


def coarser_sensitive(microdata: Microdata, m: int) -> Microdata:
    """Aggregate continuous ranges of the sensitive attribute, as the paper does, to m values."""
    column = microdata.sensitive[0]
    codes = (column.codes.astype(np.int64) * m // column.size).astype(np.int32)
    return replace(microdata, sensitive=(replace(column, values=column.values[:m], codes=codes),))


@cache
def numbers(rows: int) -> Microdata:
    """Four numeric attributes in eight clusters: only distances matter, which suits space-filling curves."""
    random = np.random.default_rng(1)
    centres, widths = random.random((8, 4)), 0.02 + 0.1 * random.random((8, 4))
    cloud = random.choice(8, rows, p=np.arange(1, 9) / 36)
    points = np.rint(1000 * random.normal(centres[cloud], widths[cloud])).astype(np.int64)
    columns = {f"number {at}": pa.array(points[:, at]) for at in range(4)}
    return encode(pa.table(columns), dict.fromkeys(columns, Numeric()))


def discrete(people: Dataset, levels: bool) -> Microdata:
    """A synthetic table of the Mondrian paper: with binary trees, or with values that any interval may hold."""
    chosen = people if levels else people.without_levels()
    return encode(chosen.table, chosen.schema.quasi_identifiers)


@cache
def lands_end(rows: int) -> Microdata:
    """Made-up orders with the attributes of the Lands End table."""
    orders = sf.datasets.lands_end(rows)
    return encode(orders.table, orders.schema.quasi_identifiers)


@cache
def normal(rows: int = 10_000, seed: int = 0) -> Microdata:
    """The SimpleNormal table of the EnumMulti paper."""
    return encode(sf.datasets.simple_normal(rows, seed=seed).table, {name: Numeric() for name in ("x", "y")})


def normal_of(rows: int, spread: float, seed: int) -> Microdata:
    """A table like SimpleNormal with another standard deviation."""
    people = sf.datasets.discrete(rows, 2, 101, "skewed", sigma=spread / 101, seed=seed)
    return encode(people.table, {name: Numeric() for name in people.table.column_names})


@cache
def coil(rows: int = 9_882, seed: int = 0) -> Microdata:
    """UCI's Coil 2000 if SFUMATO_COIL names its folder, else one made up: a skewed subtype decides the type."""
    if real_tables.COIL_FOLDER:
        return real_tables.coil(real_tables.COIL_FOLDER)
    random = np.random.default_rng(seed)
    popular = random.dirichlet(np.full(COIL["customer_subtype"], 0.8))
    subtype = random.choice(COIL["customer_subtype"], rows, p=popular)
    kind = subtype * COIL["customer_type"] // COIL["customer_subtype"]
    columns = {
        "customer_subtype": subtype + 1,
        "houses": np.clip(random.geometric(0.88, rows), 1, 10),
        "household_size": np.clip(random.normal(2.2 + kind % 3 * 0.5, 0.8, rows).round(), 1, 6).astype(int),
        "age_group": np.clip(random.normal(2.4 + kind % 4 * 0.4, 0.8, rows).round(), 1, 6).astype(int),
        "customer_type": kind + 1,
    }
    return encode(pa.table(columns), {name: Numeric() for name in COIL})
