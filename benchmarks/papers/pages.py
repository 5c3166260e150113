"""The pages of docs/papers, from stored results: per paper its claims, plots and tables, and one list of all claims."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.drawing import pictures
from benchmarks.papers.experiment import SETTLED, Claim, Experiment, Panel, Paper, Size, Verdict
from benchmarks.papers.store import Outcome, read
from benchmarks.papers.verdict_pages import cell, claims_page, headline_page, table

RESULTS, PICTURES = "results", "pictures"


def write_pages(papers: Sequence[Paper], folder: Path) -> None:
    """Write a page per paper, the headlines and the list of all claims, from the results that lie in the folder."""
    (folder / PICTURES).mkdir(parents=True, exist_ok=True)
    for old in (folder / PICTURES).glob("*.svg"):
        old.unlink()
    known = stored(papers, folder)
    for paper in papers:
        write(folder / f"{paper.name}.md", paper_page(paper, known, folder))
    for name, lines in verdict_pages(papers, known).items():
        write(folder / name, iter(lines))


def stored(papers: Sequence[Paper], folder: Path) -> dict[str, Outcome]:
    """The results that lie in a folder, by experiment."""
    outcomes = {name: read(folder / RESULTS, name) for paper in papers for name in paper.experiments}
    return {name: outcome for name, outcome in outcomes.items() if outcome is not None}


def verdict_pages(papers: Sequence[Paper], known: Mapping[str, Outcome]) -> dict[str, list[str]]:
    """The two pages that hold verdicts alone: the headlines and all claims."""
    found = [(paper, judged(paper, known)) for paper in papers]
    return {"index.md": list(headline_page(found)), "claims.md": list(claims_page(found))}


def write(path: Path, lines: Iterator[str]) -> None:
    path.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


def paper_page(paper: Paper, outcomes: Mapping[str, Outcome], folder: Path) -> Iterator[str]:
    """Yield the lines of a paper's page; draw its pictures."""
    yield f"# {paper.title}"
    yield f"\n{paper.source}. {paper.about}"
    yield f"\n{circumstances_of([outcomes[name] for name in paper.experiments if name in outcomes])}"
    yield "\n## What the paper says, and what came out\n"
    yield from table(judged(paper, outcomes))
    for experiment in paper.experiments.values():
        yield from section(experiment, outcomes.get(experiment.name), folder, paper.own)


def judged(paper: Paper, outcomes: Mapping[str, Outcome]) -> list[tuple[Claim, Verdict]]:
    """Every claim of a paper with its verdict."""
    return [(claim, verdict_of(claim, paper, outcomes)) for claim in paper.claims]


def verdict_of(claim: Claim, paper: Paper, outcomes: Mapping[str, Outcome]) -> Verdict:
    """The verdict on a claim, or why none is given: results are from small tables, from other code, too hurried."""
    needed = {name: outcomes[name] for name in claim.needs if name in outcomes}
    small = [name for name, outcome in needed.items() if outcome.size == Size.QUICK.name.lower()]
    if small:
        return Verdict(None, f"{', '.join(small)}: run on small tables only", "run small")
    stale = [name for name, outcome in needed.items() if outcome.digest != paper.experiments[name].digest()]
    if stale:
        return Verdict(None, f"{', '.join(stale)}: the code is newer than the results", "to be run again")
    verdict = claim.verdict({name: outcome.panels for name, outcome in needed.items()})
    given = ", ".join(dict.fromkeys(outcome.budget for outcome in needed.values() if outcome.budget))
    if not given or (verdict.share is None and not claim.budget):
        return verdict
    if not claim.budget:
        return verdict._replace(why=f"{verdict.why}; a search had {given}")
    why = f"{verdict.why} (the search had {given}, the paper's {claim.budget})"
    paper_took = all(outcome.size == Size.FULL.name.lower() for outcome in needed.values())
    # What is reached in less time is reached in more, and what is proven changes no more.
    enough = verdict.share is None or verdict.share == 1.0 or verdict.reason == SETTLED or paper_took
    return verdict._replace(why=why) if enough else Verdict(None, why, "budget")


def section(experiment: Experiment, outcome: Outcome | None, folder: Path, own: Sequence[str] = ()) -> Iterator[str]:
    """Yield what a page has of one experiment."""
    yield f"\n## {experiment.title}"
    yield f"\n{experiment.about}"
    if experiment.theirs:
        yield f"\nThe paper's figures, as far as its text tells: {experiment.theirs}."
    if outcome is None:
        yield f"\n**Not run.** `python -m benchmarks figures --only {experiment.name}` does."
        return
    if outcome.skipped:
        yield f"\n**Skipped:** {outcome.skipped}."
        return
    if outcome.digest != experiment.digest():
        yield "\n**To be run again:** the code is newer than these results, so no verdict rests on them."
    budget = f", a search {outcome.budget}" if outcome.budget else ""
    yield f"\n*Run at the {outcome.size} size, in {outcome.seconds:.0f} s{budget}.*"
    for place, panel in enumerate(outcome.panels):
        for part, drawn in enumerate(pictures(panel, f"{experiment.title.split(':')[0]}: {panel.name}", own)):
            file = f"{PICTURES}/{experiment.name}-{place + 1}{'b' if part else ''}.svg"
            drawn.write(folder / file)
            yield f"\n![{drawn.description}]({file})"
        yield ""
        yield from numbers_table(panel)
        if panel.made_up:
            yield "\nThe table is made up: it stands for one that the paper had."
        if panel.note:
            yield f"\n{panel.note}"


def numbers_table(panel: Panel) -> Iterator[str]:
    """Yield the numbers of a panel, a row per line; the paper's own below."""
    yield f"| {panel.unit}, {panel.axis} = | " + " | ".join(figure(x) for x in panel.xs) + " |"
    yield "|---|" + "---:|" * len(panel.xs)
    lines = [*panel.lines.items(), *((f"*{name}: the paper*", values) for name, values in panel.paper.items())]
    for name, values in lines:
        ends = panel.spread.get(name) or [None] * len(values)
        shown = [figure(value) + spread_of(value, end) for value, end in zip(values, ends, strict=False)]
        yield f"| {cell(name)} | " + " | ".join(shown) + " |"


def spread_of(value: float | None, ends: Sequence[float] | None) -> str:
    """The least and the largest figure beside their median, where they differ by more than a hundredth of it."""
    if not value or ends is None or ends[1] - ends[0] <= 0.01 * abs(value):
        return ""
    return f" ({figure(ends[0])}–{figure(ends[1])})"


def figure(value: float | None) -> str:
    """Format a number for a table."""
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.4g}"


def circumstances_of(outcomes: Sequence[Outcome]) -> str:
    """Say when and with what experiments were run."""
    runs = [outcome.ran for outcome in outcomes if outcome.ran]
    if not runs:
        return "Nothing of this was run yet."
    days = sorted({run["day"] for run in runs})
    when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    cores = " or ".join(str(count) for count in sorted({run["cores"] for run in runs}))
    versions: dict[str, set[str]] = {}
    for run in runs:
        for name, number in run["versions"].items():
            versions.setdefault(name, set()).add(number)
    shown = ", ".join(f"{name} {' and '.join(sorted(numbers))}" for name, numbers in versions.items())
    return (
        f"Written by `make figures` from runs of {when} on {cores} cores ({shown}). What draws at random has five "
        "seeds, and a table that is drawn has five where its section says so: figures are their medians, with the "
        "least and the largest in brackets where they are more than a hundredth apart. What has nothing random is run "
        "once, and timed up to five times, after what had "
        "to be compiled, unless its section says otherwise. Seconds are those of processors, all cores together, on "
        "a machine with other work beside: compare them with each other, not with a clock. Our copies of the papers "
        "are texts without pictures: of their figures we know what the texts tell."
    )
