"""Figures 10 to 12 and the counts of nodes of the Incognito paper."""

from __future__ import annotations

import time
from collections.abc import Iterable
from statistics import median

import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.literal.database import answers_in_database
from benchmarks.papers import tables
from benchmarks.papers.experiment import LackingError, Panel, Panels, Paper, Size, Sweep, Verdict
from benchmarks.papers.judging import Judge, chosen, no_more, only, ratios, trend, uneven
from benchmarks.papers.measuring import REPEATS, few_rows, first_attributes, processor_seconds, task
from benchmarks.papers.twins import paper_binary_search, paper_super_roots
from sfumato.datasets.lands_end import FULL_SIZE
from sfumato.hierarchies import Numeric
from sfumato.methods import BottomUp, Incognito, Lattice, Method, Samarati
from sfumato.methods.lattice.incognito import SubsetSearch
from sfumato.methods.lattice.judge import NodeJudge
from sfumato.methods.lattice.nodes import Space
from sfumato.privacy import KAnonymity
from sfumato.table.encoding import encode
from sfumato.table.microdata import Microdata

PAPER = Paper(
    "incognito",
    "Incognito: Efficient Full-Domain K-Anonymity",
    "K. LeFevre, D. J. DeWitt and R. Ramakrishnan, SIGMOD 2005",
    "Searches for all levels of generalization that keep k-anonymity (binary search: for one). The paper's tables lay "
    "in a database on a disk; here they are in memory, where a scan costs little more than a frequency set that is as "
    "long. *Scans* marks searches that count every node from the table, as the paper's comparators do; without it they "
    "roll up. *Super-roots, whole families* never splits a family of roots, as in the paper. *Materialized* is its "
    "future work, *lattice* Sfumato's own search. What takes more than three seconds is run once. Lands End is made "
    "up, with the paper's attributes, numbers of values and heights.",
)

SCANS, UP, BINARY_SCANS, BINARY = "bottom-up, scans", "bottom-up", "binary search, scans", "binary search"
BASIC, ROOTS, FAMILIES, CUBE, KEPT = "basic", "super-roots", "super-roots, whole families", "cube", "materialized"
LATTICE = "lattice"

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

#: The table in Section 4.2.1: nodes searched bottom-up and by Incognito, per number of attributes.
PAPER_NODES = {
    UP: {3: 14, 4: 47, 5: 206, 6: 680, 7: 2088, 8: 6366, 9: 12818},
    BASIC: {3: 14, 4: 35, 5: 103, 6: 246, 7: 664, 8: 1778, 9: 4307},
}

#: The number of rows of Lands End for all searches, and for those that scale.
FEW_ORDERS = (2_000, 10_000, FULL_SIZE)
MANY_ORDERS = (5_000, 459_158, FULL_SIZE)


def by_attributes(name: str, table: Microdata, k: int, counts: Iterable[int], methods: dict[str, Method]) -> Sweep:
    """Time searches with the first attributes of a table."""
    sweep = Sweep(f"{name}, k = {k}", "attributes")
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


@PAPER.experiment("10-adult", "Figure 10: Adult, number of attributes", "45,222 rows, 3 to 9 attributes.")
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
)
def figure_10_large(size: Size) -> list[Panel]:
    table = tables.lands_end(size.pick(*MANY_ORDERS))
    return by_attributes("Lands End", table, 2, range(3, size.pick(5, 9, 9)), VARIANTS).panels()


@PAPER.experiment(
    "11", "Figure 11: k", "Adult with 8 attributes, and 10,000 rows of Lands End with 6; seconds and nodes."
)
def figure_11(size: Size) -> list[Panel]:
    adult = first_attributes(tables.adult_lattice(), size.pick(4, 8, 8))
    orders = first_attributes(tables.lands_end(size.pick(*FEW_ORDERS)), size.pick(4, 6, 6))
    found = []
    for name, table in (("Adult", adult), ("Lands End", orders)):
        sweep = Sweep(name, "k")
        warm(table, METHODS)
        for k in size.pick((2, 10), (2, 5, 10, 25, 50), (2, 5, 10, 25, 50)):
            job = task(table, KAnonymity(k))
            for line, method in METHODS.items():
                sweep.add(k, line, seconds=processor_seconds(lambda method=method, job=job: method.run(job)))
                if line in {UP, BINARY, BASIC}:
                    sweep.add(k, line, nodes=method.run(job).details["search"].nodes_checked)
        found += sweep.panels("seconds", "nodes")
    return found


@PAPER.experiment(
    "12",
    "Figure 12: the cost of the cube and of the search with it",
    "k = 2. Cube Incognito in its two parts and basic Incognito, one after the other in the same run: Adult, and "
    "459,158 rows of Lands End. Medians of three runs of all three.",
)
def figure_12(size: Size) -> list[Panel]:
    found = []
    for name, table in (("Adult", tables.adult_lattice()), ("Lands End", tables.lands_end(size.pick(*MANY_ORDERS)))):
        sweep = Sweep(name, "attributes")
        warm(table, {BASIC: VARIANTS[BASIC], CUBE: VARIANTS[CUBE]})
        for count in range(3, size.pick(5, len(table.domains) + 1, len(table.domains) + 1)):
            parts = [cube_and_search(first_attributes(table, count)) for _ in range(size.pick(1, REPEATS, REPEATS))]
            for line in parts[0]:
                sweep.add(count, line, seconds=median(part[line] for part in parts))
        found += sweep.panels()
    return found


@PAPER.experiment(
    "database",
    "Figure 10 in a database",
    "Every frequency set is a temporary table of DuckDB, over a star schema, as the paper ran it: Adult, and 20,000 "
    "rows of Lands End, k = 2, the first 3 to 5 attributes. One run.",
)
def in_database(size: Size) -> list[Panel]:
    found = []
    orders = tables.lands_end(size.pick(2_000, 20_000, FULL_SIZE))
    for name, table in (("Adult", tables.adult_lattice()), ("Lands End", orders)):
        sweep = Sweep(f"{name}, in DuckDB", "attributes")
        for count in size.pick((3,), (3, 4, 5), (3, 4, 5)):
            job = task(first_attributes(table, count), KAnonymity(2))
            for line in (SCANS, UP, BINARY_SCANS, BASIC, FAMILIES, CUBE, KEPT):
                seconds = processor_seconds(lambda line=line, job=job: answers_in_database(METHODS[line], job), 1)
                sweep.add(count, line, seconds=seconds)
        found += sweep.panels()
    return found


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


def up_to(better: str, worse: str, factor: float, within: str) -> Judge:
    """Judge that one search is "up to" a given multiple as fast as another: somewhere, not everywhere."""

    def judge(panels: Panels) -> Verdict:
        found = [
            (ratio, f"{panel.name}, {x:g} attributes")
            for panel in chosen(panels, "seconds", within)
            for x, ratio in ratios(panel, worse, better).items()
        ]
        if not found:
            return Verdict(None, f"no point has both {better} and {worse}")
        most, where = max(found)
        return Verdict(float(most >= factor), f"{worse} / {better} is {most:.3g} at most ({where})")

    return judge


def explained(panels: Panels) -> Verdict:
    """Judge that there are bins with which both searches look at 14 nodes."""
    pairs = {
        (panel.name, first): (panel.at(UP)[first], panel.at(BASIC)[first]) for panel in panels for first in panel.xs
    }
    fitting = [f"{name} from {first:g}" for (name, first), pair in pairs.items() if pair == (14, 14)]
    seen = ", ".join(f"{up:g} and {basic:g}" for up, basic in sorted(set(pairs.values())))
    which = f"bins that do: {'; '.join(fitting)}" if fitting else f"none of {len(pairs)} does"
    return Verdict(float(bool(fitting)), f"{which}; bottom-up and Incognito look at {seen} nodes")


def near_the_paper(panels: Panels) -> Verdict:
    """Judge that counts of nodes are within a fifth of the paper's."""
    panel = only(panels, "nodes")
    off = {
        (line, x): panel.at(line)[x] / theirs - 1
        for line, numbers in PAPER_NODES.items()
        for x, theirs in numbers.items()
        if x in panel.at(line)
    }
    held = sum(abs(value) <= 0.2 for value in off.values())
    (line, x), worst = max(off.items(), key=lambda item: abs(item[1]))
    return Verdict(held / len(off), f"{held} of {len(off)}; the farthest is {line} at {x:g} attributes, {worst:+.0%}")


def steadier(panels: Panels) -> Verdict:
    """Judge that the nodes of binary search change by a larger factor along k than those of bottom-up search."""
    spans = {}
    for panel in chosen(panels, "nodes"):
        binary, upward = (max(found.values()) / min(found.values()) for found in (panel.at(BINARY), panel.at(UP)))
        spans[panel.name] = (binary, upward)
    shown = "; ".join(f"{name}: {one:.3g} and {two:.3g}" for name, (one, two) in spans.items())
    held = sum(one > two for one, two in spans.values())
    return Verdict(held / len(spans), f"largest over least number of nodes, binary and bottom-up: {shown}")


def gains_most(panels: Panels) -> Verdict:
    """Judge that super-roots save a larger share of the time on Lands End than on Adult, at the largest size."""
    shares = {}
    for name in ("Adult", "Lands End"):
        found = [ratios(panel, ROOTS, BASIC) for panel in chosen(panels, "seconds", name)]
        if not any(found):
            raise LackingError(f"no times of both searches on {name}")
        shares[name] = min(part[max(part)] for part in found if part)
    shown = ", ".join(f"{name} {share:.2f}" for name, share in shares.items())
    return Verdict(float(shares["Lands End"] < shares["Adult"]), f"super-roots / basic with all attributes: {shown}")


def adult_and_orders(better: str, worse: str) -> None:
    """Claim that one search is faster than another, on each table."""
    for table, where in (("Adult", ("10-adult",)), ("Lands End", ("10-lands-end",))):
        sentence = f"{table}: Incognito ({better}) is faster than {worse}"
        PAPER.claim(sentence, where, no_more(better, worse, "seconds", within=table))


for worse in (SCANS, UP, BINARY_SCANS, BINARY):
    for better in (BASIC, ROOTS, CUBE):
        adult_and_orders(better, worse)
TEN = "up to an order of magnitude faster than"
for worse in (SCANS, UP, BINARY_SCANS):
    for table, where in (("Adult", "10-adult"), ("Lands End", "10-lands-end")):
        PAPER.claim(f"{table}: Incognito is {TEN} {worse}", where, up_to(ROOTS, worse, 10, table))
    PAPER.claim(f"In a database: Incognito is {TEN} {worse}", "database", up_to(FAMILIES, worse, 10, "in DuckDB"))
    PAPER.claim(f"In a database: basic is faster than {worse}", "database", no_more(BASIC, worse, "seconds"))
PAPER.claim("In a database: super-roots are faster than basic", "database", no_more(FAMILIES, BASIC, "seconds"))
PAPER.claim("Adult: bottom-up search is faster with roll-up", "10-adult", no_more(UP, SCANS, "seconds"))
PAPER.claim("Incognito looks at fewer nodes than bottom-up search", "nodes", no_more(BASIC, UP, "nodes"))
PAPER.claim("The numbers of nodes are those of the paper, within a fifth", "nodes", near_the_paper)
PAPER.claim("There are bins of age with which three attributes give the paper's 14 and 14 nodes", "bins", explained)
for line in (BASIC, ROOTS, CUBE):
    PAPER.claim(f"Incognito ({line}) gets faster as k grows", "11", trend(line, "seconds"))
PAPER.claim("Binary search is erratic as k grows: its time", "11", uneven(BINARY_SCANS, "seconds"))
PAPER.claim("Binary search is erratic as k grows: its nodes", "11", uneven(BINARY, "nodes"))
PAPER.claim("Bottom-up search is more consistent than binary search as k grows", "11", steadier)
LARGE = ("10-lands-end-large",)
PAPER.claim("Adult: super-roots are faster than basic", "10-adult", no_more(ROOTS, BASIC, "seconds"))
PAPER.claim("Lands End: super-roots are faster than basic", LARGE, no_more(ROOTS, BASIC, "seconds"))
PAPER.claim(
    "Lands End: whole families, as in the paper, are faster than basic", LARGE, no_more(FAMILIES, BASIC, "seconds")
)
PAPER.claim("Super-roots gain most on Lands End", ("10-adult", "10-lands-end-large"), gains_most)
PAPER.claim("Adult: cube is faster than basic", "12", no_more(BOTH, BASIC, "seconds", within="Adult"))
PAPER.claim("Lands End: cube is slower than basic", "12", no_more(BASIC, BOTH, "seconds", within="Lands End"))
PAPER.claim(
    "Lands End: once the cube is built, the search is faster than basic",
    "12",
    no_more(SEARCHING, BASIC, "seconds", within="Lands End"),
)
PAPER.claim("Future work: sets at several levels are faster than the cube", LARGE, no_more(KEPT, CUBE, "seconds"))
