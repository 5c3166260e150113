"""Figures 10 to 12 of the Incognito paper as tables and plots: ``python -m benchmarks.lattice_figures``.

Adult as far as it lies beside the repository, and the generated Lands End table, by default of 4,591,581 rows. Tables
are printed; plots are written as SVG into ``benchmarks/results``. ``--quick`` uses a twentieth of Lands End; and some
figures can be asked for alone: ``python -m benchmarks.lattice_figures "10 Lands End" "12 Adult"``.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from benchmarks.drawing import SECONDS, line_plot, save
from benchmarks.lattice_data import adult, first, lands_end, task
from sfumato.datasets.lands_end import FULL_SIZE
from sfumato.methods import BottomUp, Incognito, Lattice, Method, Samarati
from sfumato.methods.lattice.incognito import SubsetSearch
from sfumato.methods.lattice.judge import Judge
from sfumato.methods.lattice.space import Space
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
#: Bottom-up and binary search check nearly every node: beyond this many nodes times rows they are left out.
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
        print(f"\n{self.title} (seconds of processor time)")
        print(f"  {self.axis:<28}" + "".join(f"{x:>10g}" for x in self.xs))
        for name, values in self.lines.items():
            print(f"  {name:<28}" + "".join(f"{value:>10.3f}" for value in values), flush=True)
        name = self.title.split(":")[0].lower().replace(" ", "-").replace(",", "")
        save(line_plot(self.title, self.axis, SECONDS, self.xs, self.lines), f"incognito-{name}")


def measure(figure: Figure, x: float, microdata: Microdata, k: int) -> None:
    figure.xs.append(x)
    for name, make in METHODS.items():
        # Every method has its line, and so its colour, in every figure; one that was left out once stays out.
        if len(figure.lines.setdefault(name, [])) < len(figure.xs) - 1:
            continue
        work = Space(microdata.domains).size * len(microdata)
        if name.startswith(("bottom-up", "binary")) and work > PATIENCE * (1 if "scans" in name else 8):
            continue
        # All searches without suppression run in one thread, so other work on the machine does not disturb this clock.
        begin = time.process_time()
        make().run(task(microdata, k))
        figure.add(name, time.process_time() - begin)


def figures(name: str, table: Microdata) -> dict[str, Callable[[], Figure]]:
    """Return what makes the figures of a table, by name."""
    return {
        f"10 {name} k=2": lambda: by_size(name, table, 2),
        f"10 {name} k=10": lambda: by_size(name, table, 10),
        f"11 {name}": lambda: by_k(name, first(table, 8 if name == "Adult" else 6)),
        f"12 {name}": lambda: by_stage(name, table),
    }


def by_size(name: str, table: Microdata, k: int) -> Figure:
    figure = Figure(f"Figure 10 {name} k={k}: quasi-identifier size", "attributes")
    for size in range(3, len(table.domains) + 1):
        measure(figure, size, first(table, size), k)
    return figure


def by_k(name: str, table: Microdata) -> Figure:
    figure = Figure(f"Figure 11 {name}: k, with {len(table.domains)} attributes", "k")
    for k in (2, 5, 10, 25, 50):
        measure(figure, k, table, k)
    return figure


def by_stage(name: str, table: Microdata) -> Figure:
    figure = Figure(f"Figure 12 {name}: cube and search, k=2", "attributes")
    for size in range(3, len(table.domains) + 1):
        cube_and_search(figure, first(table, size))
    return figure


def cube_and_search(figure: Figure, microdata: Microdata) -> None:
    """Time the building of the zero-generalization cube and the search with it, one after the other."""
    attributes = len(microdata.domains)
    figure.xs.append(attributes)
    search = SubsetSearch(Judge(task(microdata, 2)), Space(microdata.domains), "cube")
    begin = time.process_time()
    search.build_cube(attributes)
    built = time.process_time()
    search.search_subsets(attributes)
    figure.add("building the cube", built - begin)
    figure.add("anonymization", time.process_time() - built)


def main(arguments: list[str]) -> None:
    asked = [argument for argument in arguments if argument != "--quick"]
    rows = FULL_SIZE // 20 if "--quick" in arguments else FULL_SIZE
    for name, read in {"Adult": lambda: adult(45_222), "Lands End": lambda: lands_end(rows)}.items():
        table = read() if not asked or any(name in part for part in asked) else None
        if table is None:
            continue
        for make in METHODS.values():
            make().run(task(some_rows(first(table, 3)), 2))
        for figure, draw in figures(name, table).items():
            if not asked or any(part in figure for part in asked):
                draw().show()


def some_rows(table: Microdata) -> Microdata:
    """Return the first rows of a table, enough to compile everything first, so that no figure pays for it."""
    return Microdata(table.codes[:1000].copy(), table.domains, ())


if __name__ == "__main__":
    main(sys.argv[1:])
