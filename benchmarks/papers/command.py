"""``python -m benchmarks figures``: run the papers' experiments and write their pages."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

from benchmarks.measure import RESULTS as SCRATCH
from benchmarks.papers.experiment import Experiment, LackingError, Paper, Size
from benchmarks.papers.pages import RESULTS, judged, write_pages
from benchmarks.papers.store import Outcome, circumstances, read
from sfumato.common.threads import VARIABLE

DOCS = Path(__file__).parents[2] / "docs" / "papers"


def papers() -> list[Paper]:
    """The four papers with everything that is registered."""
    from benchmarks.papers import enummulti_claims, fast_anonymization_claims, incognito_claims, mondrian_claims

    return [incognito_claims.PAPER, mondrian_claims.PAPER, fast_anonymization_claims.PAPER, enummulti_claims.PAPER]


def main(arguments: Sequence[str]) -> int:
    """Run what was asked for; return the exit code."""
    asked = parser().parse_args(arguments)
    known = papers()
    experiments = {name: one for paper in known for name, one in paper.experiments.items()}
    wanted = {name: one for name, one in experiments.items() if named(name, asked.only)}
    if asked.list:
        print("\n".join(f"{name:<24} {one.title}" for name, one in wanted.items()))
        return 0
    if not wanted:
        print(
            f"There is no experiment called {', '.join(asked.only)}. Known: {', '.join(experiments)}.", file=sys.stderr
        )
        return 2
    size = Size.QUICK if asked.quick else Size.FULL if asked.full else Size.DEFAULT
    folder = asked.folder or (SCRATCH / "papers" if asked.quick else DOCS)
    if not asked.pages:
        run_all(list(wanted), size, folder / RESULTS, asked.jobs)
    write_pages(known, folder)
    show(known, folder)
    return 0


def parser() -> argparse.ArgumentParser:
    described = argparse.ArgumentParser("python -m benchmarks figures", description=__doc__)
    described.add_argument(
        "--only", nargs="+", default=[], help="an experiment, or all of a paper: mondrian-10, incognito"
    )
    described.add_argument("--full", action="store_true", help="the papers' own sizes and time budgets; takes days")
    described.add_argument("--quick", action="store_true", help="small tables; about a minute in all")
    described.add_argument(
        "--jobs", type=int, default=1, help="how many experiments run side by side; those that measure time run alone"
    )
    described.add_argument("--pages", action="store_true", help="run nothing, write the pages from stored results")
    described.add_argument("--folder", type=Path, help="where pages and results go; docs/papers if not given")
    described.add_argument("--list", action="store_true", help="name the experiments")
    return described


def named(name: str, asked: Sequence[str]) -> bool:
    """Whether an experiment was asked for, by its name or the beginning of it."""
    return not asked or any(name == part or name.startswith(f"{part}-") for part in asked)


def run_all(names: Sequence[str], size: Size, folder: Path, jobs: int) -> None:
    """Run experiments and keep their results: those that measure no time side by side, then the others one by one."""
    alone = [name for name in names if jobs == 1 or find(name).timed]
    beside = [name for name in names if name not in alone]
    if beside:
        # A fresh interpreter for each, with one thread: what they find does not depend on it, and cores are not shared.
        own = {"mp_context": get_context("spawn"), "max_tasks_per_child": 1, "initializer": one_thread}
        with ProcessPoolExecutor(jobs, **own) as workers:  # type: ignore[arg-type]
            for done in as_completed([workers.submit(run_one, name, size, folder) for name in beside]):
                done.result()
    for name in alone:
        run_one(name, size, folder)


def one_thread() -> None:
    """Let a process use one core."""
    os.environ[VARIABLE] = "1"


def find(name: str) -> Experiment:
    """An experiment by its name."""
    return next(paper.experiments[name] for paper in papers() if name in paper.experiments)


def run_one(name: str, size: Size, folder: Path) -> None:
    """Run one experiment and keep its results."""
    run(find(name), size).write(folder)


def run(experiment: Experiment, size: Size) -> Outcome:
    """Run an experiment, and say how long it took or what it lacks."""
    begin = time.perf_counter()
    told = circumstances(size)
    try:
        panels = experiment.run(size)
    except LackingError as lacking:
        print(f"{experiment.name:<24} skipped: {lacking}", flush=True)
        return Outcome(experiment.name, size.name.lower(), skipped=str(lacking), ran=told, digest=experiment.digest())
    took = time.perf_counter() - begin
    print(f"{experiment.name:<24} {took:8.1f} s  {experiment.title}", flush=True)
    budget = experiment.budget(size) if experiment.budget else ""
    return Outcome(experiment.name, size.name.lower(), panels, "", took, told, experiment.digest(), budget)


def show(known: Sequence[Paper], folder: Path) -> None:
    """Print every claim with its verdict."""
    for paper in known:
        outcomes = {name: read(folder / RESULTS, name) for name in paper.experiments}
        found = {name: outcome for name, outcome in outcomes.items() if outcome is not None}
        print(f"\n{paper.title}")
        for claim, verdict in judged(paper, found):
            print(f"  {verdict.shown:<16} {claim.sentence}\n{'':<19}{verdict.told}")
    print(f"\nPages: {folder}")
