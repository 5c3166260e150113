"""Figures 10 to 12 of the Incognito paper as tables and plots: ``python -m benchmarks.lattice_figures``.

Adult as far as it lies beside the repository, and the generated Lands End table, by default of 4,591,581 rows. Tables
are printed; plots are written as SVG into ``benchmarks/results``. ``--quick`` uses a twentieth of Lands End and leaves
out the slowest points.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from benchmarks.lattice_data import adult, first, lands_end, task
from benchmarks.measure import RESULTS
from benchmarks.plot import line_plot
from sfumato.datasets.lands_end import FULL_SIZE
from sfumato.methods import BottomUp, Incognito, Lattice, Method, Samarati
from sfumato.methods.lattice.incognito import SubsetSearch
from sfumato.methods.lattice.space import Space
from sfumato.methods.lattice.verdicts import Judge
from sfumato.microdata import Microdata

METHODS: dict[str, Callable[[], Method]] = {
    "bottom-up, scans": lambda: BottomUp(rollup=False),
    "bottom-up": BottomUp,
    "binary search": Samarati,
    "basic incognito": lambda: Incognito(variant="basic"),
    "cube incognito": lambda: Incognito(variant="cube"),
    "superroots incognito": lambda: Incognito(variant="superroots"),
    "lattice": Lattice,
}
#: Bottom-up checks nearly every node: beyond this many nodes times rows it is left out.
PATIENCE = 4e8


@dataclass
class Figure:
    """One figure: seconds and nodes of every method at every value of the x axis."""

    title: str
    axis: str
    xs: list[float] = field(default_factory=list)
    lines: dict[str, list[float]] = field(default_factory=dict)

    def add(self, name: str, value: float) -> None:
        self.lines.setdefault(name, []).append(value)

    def show(self) -> None:
        print(f"\n{self.title} (seconds)")
        print(f"  {self.axis:<28}" + "".join(f"{x:>10g}" for x in self.xs))
        for name, values in self.lines.items():
            print(f"  {name:<28}" + "".join(f"{value:>10.3f}" for value in values), flush=True)
        whole = {name: values for name, values in self.lines.items() if len(values) == len(self.xs)}
        RESULTS.mkdir(parents=True, exist_ok=True)
        name = self.title.split(":")[0].lower().replace(" ", "-").replace(",", "")
        (RESULTS / f"{name}.svg").write_text(line_plot(self.title, self.axis, self.xs, whole))


def measure(figure: Figure, x: float, microdata: Microdata, k: int) -> None:
    figure.xs.append(x)
    for name, make in METHODS.items():
        if name in figure.lines and len(figure.lines[name]) < len(figure.xs) - 1:
            continue
        work = Space(microdata.domains).size * len(microdata)
        if name.startswith(("bottom-up", "binary")) and work > PATIENCE * (1 if "scans" in name else 8):
            continue
        begin = time.perf_counter()
        make().recode(task(microdata, k))
        figure.add(name, time.perf_counter() - begin)


def figures(tables: dict[str, Microdata]) -> Iterator[Figure]:
    for name, table in tables.items():
        for k in (2, 10):
            figure = Figure(f"Figure 10 {name} k={k}: quasi-identifier size", "attributes")
            for size in range(3, len(table.domains) + 1):
                measure(figure, size, first(table, size), k)
            yield figure
        fixed = first(table, 8 if name == "Adult" else 6)
        figure = Figure(f"Figure 11 {name}: k, with {len(fixed.domains)} attributes", "k")
        for k in (2, 5, 10, 25, 50):
            measure(figure, k, fixed, k)
        yield figure
        figure = Figure(f"Figure 12 {name}: cube and search, k=2", "attributes")
        for size in range(3, len(table.domains) + 1):
            cube_and_search(figure, first(table, size))
        yield figure


def cube_and_search(figure: Figure, microdata: Microdata) -> None:
    """Time the building of the zero-generalization cube and the search with it, one after the other."""
    attributes = len(microdata.domains)
    figure.xs.append(attributes)
    search = SubsetSearch(Judge(task(microdata, 2)), Space(microdata.domains), "cube")
    begin = time.perf_counter()
    search.build_cube(attributes)
    built = time.perf_counter()
    search.search_subsets(attributes)
    figure.add("building the cube", built - begin)
    figure.add("anonymization", time.perf_counter() - built)


def main(arguments: list[str]) -> None:
    rows = FULL_SIZE // 20 if "--quick" in arguments else FULL_SIZE
    tables = {"Lands End": lands_end(rows)}
    real = adult(45_222)
    if real is not None:
        tables = {"Adult": real, **tables}
    for make in METHODS.values():
        make().recode(task(first(next(iter(tables.values())), 3), 2))
    for figure in figures(tables):
        figure.show()


if __name__ == "__main__":
    main(sys.argv[1:])
