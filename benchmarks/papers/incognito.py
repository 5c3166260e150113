"""Figures 10 to 12 and the counts of nodes of the Incognito paper."""

from __future__ import annotations

import time
from collections.abc import Iterable
from functools import partial
from statistics import median

import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.literal.database import answers_in_database
from benchmarks.papers import tables
from benchmarks.papers.experiment import Panel, Paper, Size, Sweep
from benchmarks.papers.measuring import REPEATS, few_rows, first_attributes, processor_seconds, task
from benchmarks.papers.twins import paper_binary_search, paper_super_roots
from sfumato.datasets.lands_end import FULL_SIZE
from sfumato.hierarchies import Numeric
from sfumato.methods import BottomUp, Incognito, Lattice, Method, Samarati, Task
from sfumato.methods.lattice.incognito import SubsetSearch
from sfumato.methods.lattice.judge import NodeJudge
from sfumato.methods.lattice.nodes import Space
from sfumato.privacy import KAnonymity
from sfumato.table.encoding import encode
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import Recoding

SCANS, UP, BINARY_SCANS, BINARY = "bottom-up, scans", "bottom-up", "binary search, scans", "binary search"
BASIC, ROOTS, FAMILIES, CUBE, KEPT = "basic", "super-roots", "super-roots, whole families", "cube", "materialized"
LATTICE = "lattice"

PAPER = Paper(
    "incognito",
    "Incognito: Efficient Full-Domain K-Anonymity",
    "K. LeFevre, D. J. DeWitt and R. Ramakrishnan, SIGMOD 2005",
    "Searches for all levels of generalization that keep k-anonymity (binary search: for one). The paper's tables lay "
    "in a database on a disk; here they are in memory, where a scan costs little more than a frequency set that is as "
    "long. *Scans* marks searches that count every node from the table, as the paper's comparators do; without it they "
    "roll up. *Super-roots, whole families* never splits a family of roots, as in the paper. *Materialized* is its "
    "future work, *lattice* Sfumato's own search. Searches are run again up to five times, until they have taken half "
    "a second in all; the figure is their median. Lands End is made up, with the paper's attributes, numbers of values "
    "and heights.",
    own=(BINARY, ROOTS, KEPT, LATTICE),
)

COMPARATORS: dict[str, Method] = {
    SCANS: BottomUp(rollup=False),
    UP: BottomUp(),
    BINARY_SCANS: paper_binary_search,
    BINARY: Samarati(),
}
VARIANTS: dict[str, Method] = {
    BASIC: Incognito("basic"),
    ROOTS: Incognito("superroots"),
    FAMILIES: paper_super_roots,
    CUBE: Incognito("cube"),
    KEPT: Incognito("materialized"),
    LATTICE: Lattice(),
}
METHODS = COMPARATORS | VARIANTS
#: Those of Figure 11: what its text is about.
BY_K = (UP, BINARY_SCANS, BINARY, BASIC, ROOTS, CUBE)

#: The modules of Sfumato that results rest on.
CODE = tuple(
    f"sfumato.methods.lattice.{name}"
    for name in (
        *(
            "bottom_up",
            "samarati",
            "incognito",
            "materialized",
            "lattice",
            "judge",
            "nodes",
            "frequencies",
            "full_domain",
        ),
        "kernels",
    )
)
LANDS_END = (*CODE, "sfumato.datasets.lands_end", "sfumato.datasets.sampling")

#: The table in Section 4.2.1: nodes searched bottom-up and by Incognito, per number of attributes.
PAPER_NODES = {
    UP: {3: 14, 4: 47, 5: 206, 6: 680, 7: 2088, 8: 6366, 9: 12818},
    BASIC: {3: 14, 4: 35, 5: 103, 6: 246, 7: 664, 8: 1778, 9: 4307},
}

#: Values of k so many that a search which jumps between heights is seen to.
MANY_K = (2, 3, 4, 5, 6, 8, 10, 15, 20, 25, 30, 40, 50)
FURTHER_K = (2, 5, 10, 25, 50, 75, 100, 200, 500, 1000)

#: The number of rows of Lands End for all searches, and for those that scale.
FEW_ORDERS = (2_000, 10_000, FULL_SIZE)
MANY_ORDERS = (5_000, 459_158, FULL_SIZE)


def by_attributes(name: str, table: Microdata, k: int, counts: Iterable[int], methods: dict[str, Method]) -> Sweep:
    """Time searches with the first attributes of a table."""
    sweep = Sweep(f"{name}, k = {k}", "attributes", name == "Lands End")
    warm(table, methods)
    for count in counts:
        job = task(first_attributes(table, count), KAnonymity(k))
        for line, method in methods.items():
            sweep.add(count, line, seconds=processor_seconds(lambda method=method, job=job: method.run(job)))
    return sweep


def warm(table: Microdata, methods: dict[str, Method]) -> None:
    job = task(few_rows(first_attributes(table, 3)), KAnonymity(2))
    for method in methods.values():
        method.run(job)


@PAPER.experiment(
    "nodes",
    "Section 4.2.1: nodes searched",
    "Adult, 45,222 rows, k = 2, the paper's attributes in its order; its trees are not known, only their heights.",
    rests_on=CODE,
)
def nodes(size: Size) -> list[Panel]:
    table = tables.adult_lattice()
    sweep = Sweep("Adult, k = 2", "attributes")
    for count in range(3, size.pick(6, 10, 10)):
        job = task(first_attributes(table, count), KAnonymity(2))
        for line in (UP, BASIC):
            sweep.add(count, line, nodes=METHODS[line].run(job).details["search"].nodes_checked)
    return [sweep.panel("nodes", PAPER_NODES)]


@PAPER.experiment(
    "bins",
    "Section 4.2.1: where the bins of age begin",
    "The three first attributes are age, gender and race, of which only the bins of age can differ: in 5-, 10- and "
    "20-year ranges that begin at any of 20 places, and nodes as they are counted here; and the same with 45,222 and "
    "30,162 rows.",
    rests_on=CODE,
)
def bins(size: Size) -> list[Panel]:
    found = []
    for rows in size.pick((30_162,), (45_222, 30_162), (45_222, 30_162)):
        sweep = Sweep(f"{rows:,} rows", "first year of the bins")
        for first in range(0, 20, size.pick(10, 1, 1)):
            job = task(shifted_ages(rows, first), KAnonymity(2))
            for line in (UP, BASIC):
                sweep.add(first, line, nodes=METHODS[line].run(job).details["search"].nodes_checked)
        found.append(sweep.panel("nodes"))
    return found


def shifted_ages(rows: int, first: int) -> Microdata:
    """Age, sex and race, with bins of age that begin at some year and every 5, 10, 20 years from there."""
    people = tables.adult_people(rows)
    ages = pc.add(people.table.column("age").cast(pa.int64()), 20 - first)
    table = pa.table({"age": ages, "sex": people.table.column("sex"), "race": people.table.column("race")})
    trees = {name: people.hierarchies[name] for name in ("sex", "race")}
    return encode(table, {"age": Numeric(widths=(5, 10, 20)), **trees})


@PAPER.experiment(
    "10-adult",
    "Figure 10: Adult, number of attributes",
    "45,222 rows, 3 to 9 attributes.",
    rests_on=CODE,
    timed=True,
)
def figure_10_adult(size: Size) -> list[Panel]:
    counts = range(3, size.pick(6, 10, 10))
    found = [
        by_attributes("Adult", tables.adult_lattice(), k, counts, METHODS) for k in size.pick((2,), (2, 10), (2, 10))
    ]
    return [sweep.panel("seconds") for sweep in found]


@PAPER.experiment(
    "10-lands-end",
    "Figure 10: Lands End, number of attributes, every search",
    "10,000 rows, 3 to 8 attributes: searches that scan for every node of a lattice of 19,200 take too long for more; "
    "`--full` has all.",
    rests_on=LANDS_END,
    timed=True,
)
def figure_10_lands_end(size: Size) -> list[Panel]:
    table = tables.lands_end(size.pick(*FEW_ORDERS))
    counts = range(3, size.pick(5, 9, 9))
    found = [by_attributes("Lands End", table, k, counts, METHODS) for k in size.pick((2,), (2, 10), (2, 10))]
    return [sweep.panel("seconds") for sweep in found]


@PAPER.experiment(
    "10-lands-end-large",
    "Figure 10: Lands End, number of attributes, larger",
    "459,158 rows, a tenth of the paper's, with Incognito's variants alone.",
    rests_on=LANDS_END,
    timed=True,
)
def figure_10_large(size: Size) -> list[Panel]:
    table = tables.lands_end(size.pick(*MANY_ORDERS))
    return by_attributes("Lands End", table, 2, range(3, size.pick(5, 9, 9)), VARIANTS).panels()


@PAPER.experiment(
    "11",
    "Figure 11: k",
    "Adult with 8 attributes, and 10,000 rows of Lands End with 6; seconds and nodes.",
    rests_on=LANDS_END,
    timed=True,
)
def figure_11(size: Size) -> list[Panel]:
    adult = first_attributes(tables.adult_lattice(), size.pick(4, 8, 8))
    orders = first_attributes(tables.lands_end(size.pick(*FEW_ORDERS)), size.pick(4, 6, 6))
    panels = []
    for name, table in (("Adult", adult), ("Lands End", orders)):
        sweep = Sweep(name, "k", name == "Lands End")
        warm(table, METHODS)
        for k in size.pick((2, 10), MANY_K, MANY_K):
            job = task(table, KAnonymity(k))
            for line in BY_K:
                found: list[Recoding] = []
                work = partial(run_and_keep, METHODS[line], job, found)
                sweep.add(k, line, seconds=processor_seconds(work))
                if line in {UP, BINARY, BASIC}:
                    sweep.add(k, line, nodes=found[0].details["search"].nodes_checked)
        panels += sweep.panels("seconds", "nodes")
    return panels


@PAPER.experiment(
    "11-nodes",
    "Figure 11, further: nodes searched up to k = 1000",
    "The same tables. How many nodes a search looks at has nothing random and is not a matter of the machine.",
    rests_on=LANDS_END,
)
def figure_11_nodes(size: Size) -> list[Panel]:
    adult = first_attributes(tables.adult_lattice(), size.pick(4, 8, 8))
    orders = first_attributes(tables.lands_end(size.pick(*FEW_ORDERS)), size.pick(4, 6, 6))
    panels = []
    for name, table in (("Adult", adult), ("Lands End", orders)):
        sweep = Sweep(name, "k", name == "Lands End")
        for k in size.pick((2, 10), FURTHER_K, FURTHER_K):
            for line in (UP, BINARY, BASIC):
                checked = METHODS[line].run(task(table, KAnonymity(k))).details["search"].nodes_checked
                sweep.add(k, line, nodes=checked)
        panels += sweep.panels()
    return panels


def run_and_keep(method: Method, job: Task, found: list[Recoding]) -> None:
    """Run a method, and keep what it found."""
    found.append(method.run(job))


@PAPER.experiment(
    "12",
    "Figure 12: the cost of the cube and of the search with it",
    "k = 2. Cube Incognito in its two parts and basic Incognito, one after the other in the same run: Adult, and "
    "459,158 rows of Lands End. Medians of five runs of all three, fewer where they are long.",
    rests_on=LANDS_END,
    timed=True,
)
def figure_12(size: Size) -> list[Panel]:
    found = []
    for name, table in (("Adult", tables.adult_lattice()), ("Lands End", tables.lands_end(size.pick(*MANY_ORDERS)))):
        sweep = Sweep(name, "attributes", name == "Lands End")
        warm(table, {BASIC: VARIANTS[BASIC], CUBE: VARIANTS[CUBE]})
        cube_and_search(first_attributes(table, 3))  # the first run on a table pays for its memory
        for count in range(3, size.pick(5, len(table.domains) + 1, len(table.domains) + 1)):
            parts: list[dict[str, float]] = []
            while len(parts) < size.pick(1, REPEATS, REPEATS) and sum(sum(part.values()) for part in parts) < MANY_RUNS:
                parts.append(cube_and_search(first_attributes(table, count)))
            for line in parts[0]:
                sweep.add(count, line, seconds=median(part[line] for part in parts))
        found += sweep.panels()
    return found


@PAPER.experiment(
    "database",
    "Figure 10 in a database",
    "Every frequency set is a temporary table of DuckDB, over a star schema, as the paper ran it: Adult, and 20,000 "
    "rows of Lands End, k = 2, the first 3 to 7 attributes. One run.",
    rests_on=LANDS_END,
    timed=True,
)
def in_database(size: Size) -> list[Panel]:
    found = []
    orders = tables.lands_end(size.pick(2_000, 20_000, FULL_SIZE))
    for name, table in (("Adult", tables.adult_lattice()), ("Lands End", orders)):
        sweep = Sweep(f"{name}, in DuckDB", "attributes", name == "Lands End")
        answers_in_database(METHODS[BASIC], task(first_attributes(table, 3), KAnonymity(2)))  # DuckDB starts
        for count in size.pick((3,), range(3, 8), range(3, 8)):
            job = task(first_attributes(table, count), KAnonymity(2))
            for line in (SCANS, UP, BINARY_SCANS, BASIC, FAMILIES, CUBE, KEPT):
                seconds = processor_seconds(lambda line=line, job=job: answers_in_database(METHODS[line], job), 1)
                sweep.add(count, line, seconds=seconds)
        found += sweep.panels()
    return found


#: Runs of the cube and of basic Incognito are repeated until they have taken this many seconds.
MANY_RUNS = 10.0

BUILDING, SEARCHING, BOTH = "building the cube", "search with the cube", "cube, both"


def cube_and_search(microdata: Microdata) -> dict[str, float]:
    """Time the building of the zero-generalization cube, the search with it, and basic Incognito."""
    attributes, job = len(microdata.domains), task(microdata, KAnonymity(2))
    begin = time.process_time()
    search = SubsetSearch(NodeJudge(job), Space(microdata.domains), "cube")
    search.build_cube(attributes)
    built = time.process_time()
    search.search_subsets(attributes)
    found = time.process_time()
    VARIANTS[BASIC].run(job)
    basic = time.process_time() - found
    return {BUILDING: built - begin, SEARCHING: found - built, BOTH: found - begin, BASIC: basic}
