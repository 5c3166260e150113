"""``python -m benchmarks rederived``: derive figures of the papers a second time, and compare with what is stored."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks.rederived.figures import FIGURES, Figure, Lines

DOCS = Path(__file__).parents[2] / "docs" / "papers"
#: What was derived here, beside the results that it is compared with.
DERIVED, PAGE = Path("results") / "rederived.json", "rederived.md"

PAPERS = ("incognito", "mondrian", "fast-anonymization", "enummulti")

#: Differences below this share are none.
EQUAL = 5e-6


class Comparison(NamedTuple):
    """How two derivations of a figure compare: the difference at every point, as a share, and orders of lines."""

    differences: dict[str, float]
    same_order: int
    orders: int

    @property
    def worst(self) -> tuple[str, float]:
        """The point where they differ most."""
        return max(self.differences.items(), key=lambda item: abs(item[1]))

    def agrees(self, within: float) -> bool:
        """Whether all points agree, and at every place the lines lie in the same order."""
        return abs(self.worst[1]) <= within and self.same_order == self.orders


def main(arguments: Sequence[str]) -> int:
    """Derive what was asked for, compare it, write the page; the exit code says whether all agree."""
    described = argparse.ArgumentParser("python -m benchmarks rederived", description=__doc__)
    described.add_argument("--only", nargs="+", default=[], choices=list(FIGURES), help="some figures alone")
    described.add_argument("--pages", action="store_true", help="derive nothing, compare what was derived before")
    described.add_argument("--folder", type=Path, default=DOCS, help="where pages and results are")
    asked = described.parse_args(arguments)
    kept = derived(asked.folder)
    for name in () if asked.pages else asked.only or FIGURES:
        begin = time.process_time()
        kept[name] = FIGURES[name].derive()
        write(asked.folder / DERIVED, json.dumps(kept, indent=1))
        print(f"{name:<24} {time.process_time() - begin:8.1f} s of processors", flush=True)
    write(asked.folder / PAGE, "\n".join(page(asked.folder)).rstrip())
    agreed = [told(name, asked.folder) for name in FIGURES]
    print("\n".join(agreed))
    return 0 if all(line.endswith("agrees") for line in agreed) else 1


def derived(folder: Path) -> dict[str, Lines]:
    """What was derived before, if anything."""
    file = folder / DERIVED
    if not file.is_file():
        return {}
    found = json.loads(file.read_text(encoding="utf-8"))
    return {
        name: {line: {float(x): value for x, value in values.items()} for line, values in lines.items()}
        for name, lines in found.items()
    }


def write(path: Path, text: str) -> None:
    path.write_text(text + "\n", encoding="utf-8")


def first_derivation(figure: Figure, folder: Path) -> Lines:
    """The stored figures of the first scripts."""
    kept = json.loads((folder / "results" / f"{figure.experiment}.json").read_text(encoding="utf-8"))
    panel = next(one for one in kept["panels"] if figure.panel in one["name"] and one["unit"] == figure.unit)
    return {line: dict(zip(panel["xs"], values, strict=True)) for line, values in panel["lines"].items()}


def compare(first: Mapping[str, Mapping[float, float]], second: Mapping[str, Mapping[float, float]]) -> Comparison:
    """Compare all points that both derivations have; a line that the first lacks is an error."""
    differences = {}
    for line, values in second.items():
        for x, value in values.items():
            other = first[line].get(x)
            if other is None:
                continue
            differences[f"{line} at {x:g}"] = (value / other - 1) if other else float(value != other)
    same = orders = 0
    for one, two in combinations(second, 2):
        for x in second[one].keys() & second[two].keys() & first[one].keys() & first[two].keys():
            orders += 1
            same += (second[one][x] < second[two][x]) == (first[one][x] < first[two][x])
    return Comparison(differences, same, orders)


def told(name: str, folder: Path) -> str:
    """A line about one figure for the terminal, which ends with whether it agrees."""
    figure, second = FIGURES[name], derived(folder).get(name)
    if second is None:
        return f"{figure.title}: not derived"
    found = compare(first_derivation(figure, folder), second)
    where, worst = found.worst
    return f"{figure.title}: {len(found.differences)} points, {worst:+.2%} at most ({where}): {verdict(found, figure)}"


def verdict(found: Comparison, figure: Figure) -> str:
    return "agrees" if found.agrees(figure.within) else "differs"


def page(folder: Path) -> Iterator[str]:
    """Yield the lines of the page."""
    second = derived(folder)
    rows = {
        name: (figure, compare(first_derivation(figure, folder), second[name]))
        for name, figure in FIGURES.items()
        if name in second
    }
    agreeing = sum(found.agrees(figure.within) for figure, found in rows.values())
    equal = sum(abs(found.worst[1]) <= EQUAL for _, found in rows.values())
    points = sum(len(found.differences) for _, found in rows.values())
    yield "# Figures derived a second time"
    yield (
        f"\n**{agreeing} of {len(rows)} figures agree**, {equal} of them to the last digit that is shown; {points} "
        "points in all. The scripts in `benchmarks/rederived` were written from the papers' texts before those of "
        "`make figures` were read, and share no code with them: plain NumPy, a file per paper. The first's results "
        "were known, its code was not. After a first comparison two readings of the tables were brought in line: where "
        "the bins of ages begin, and that values which nobody has do not count. Common to both are the tables (Adult, "
        "and what `sfumato.datasets` makes), and the choices that the papers leave open and the pages name. For "
        "Figure 17 the public API makes the release, and errors are counted off the cells that people see. Lines are "
        "the papers' own methods; where a line of the first derivation is Sfumato's own, stronger form, it is not "
        "compared. `python -m benchmarks rederived` derives them again, in some minutes; `--pages` compares what is "
        "stored."
    )
    yield "\n| figure | lines | points | differences, middle | largest | lines in the same order | |"
    yield "|---|---|---:|---:|---:|---:|---|"
    for figure, found in rows.values():
        where, worst = found.worst
        middle = median(abs(value) for value in found.differences.values())
        largest = "none" if abs(worst) <= EQUAL else f"{worst:+.2%} ({where})"
        lines = ", ".join(dict.fromkeys(point.rsplit(" at ", 1)[0] for point in found.differences))
        order = f"{found.same_order} of {found.orders}" if found.orders else ""
        numbers = f"{len(found.differences)} | {middle:.2%} | {largest} | {order}"
        yield f"| [{figure.title}]({paper(figure)}.md) | {lines} | {numbers} | **{verdict(found, figure)}** |"
    unequal = [figure for figure, found in rows.values() if abs(found.worst[1]) > EQUAL]
    if unequal:
        yield "\nWhere figures are not equal, the papers' texts leave something open:\n"
        for reason in dict.fromkeys(figure.because for figure in unequal):
            yield f"- {'; '.join(figure.title for figure in unequal if figure.because == reason)}: {reason}."


def paper(figure: Figure) -> str:
    """The page of a figure's paper."""
    return next(name for name in PAPERS if figure.experiment.startswith(name))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
