"""The pages of docs/papers, from stored results: per paper its claims, plots and tables, and one list of all claims."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.drawing import picture
from benchmarks.papers.experiment import Claim, Experiment, Panel, Paper, Size, Verdict
from benchmarks.papers.store import Outcome, read

RESULTS, PICTURES = "results", "pictures"

COMMAND = "`make figures`"


def write_pages(papers: Sequence[Paper], folder: Path) -> None:
    """Write a page per paper and the index, from the results that lie in the folder."""
    (folder / PICTURES).mkdir(parents=True, exist_ok=True)
    outcomes = {name: read(folder / RESULTS, name) for paper in papers for name in paper.experiments}
    known = {name: outcome for name, outcome in outcomes.items() if outcome is not None}
    for paper in papers:
        write(folder / f"{paper.name}.md", paper_page(paper, known, folder))
    write(folder / "index.md", index_page(papers, known))


def write(path: Path, lines: Iterator[str]) -> None:
    path.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


def paper_page(paper: Paper, outcomes: Mapping[str, Outcome], folder: Path) -> Iterator[str]:
    """Yield the lines of a paper's page; draw its pictures."""
    yield f"# {paper.title}"
    yield f"\n{paper.source}. {paper.about}"
    yield f"\n{circumstances_of([outcomes[name] for name in paper.experiments if name in outcomes])}"
    yield "\n## What the paper says, and what came out\n"
    yield from claims_table(paper, outcomes)
    for experiment in paper.experiments.values():
        yield from section(experiment, outcomes.get(experiment.name), folder)


def index_page(papers: Sequence[Paper], outcomes: Mapping[str, Outcome]) -> Iterator[str]:
    """Yield the lines of the list of all claims."""
    yield "# The papers' experiments, run again"
    yield (
        "\nSfumato's methods come from four papers. Every experiment of theirs is run by one command, and every claim "
        "that their texts make about it is judged by what was measured: the verdicts below are computed, not written. "
        "Where Sfumato's own method is stronger than the paper's, the paper's stands beside it."
    )
    words = [verdict.word for paper in papers for _, verdict in judged(paper, outcomes)]
    counted = ", ".join(f"{words.count(word)} {word}" for word in dict.fromkeys(sorted(words)))
    yield f"\n{len(words)} claims: {counted}."
    for paper in papers:
        yield f"\n## [{paper.title}]({paper.name}.md)\n"
        yield from claims_table(paper, outcomes)
    yield (
        f"\n{COMMAND} runs everything again at the sizes that the pages name. `python -m benchmarks figures --only "
        "mondrian-10` runs one experiment, `--full` the papers' own sizes, `--quick` small ones in about a minute; "
        "`--pages` writes these pages from the results beside them, and runs nothing."
    )


def judged(paper: Paper, outcomes: Mapping[str, Outcome]) -> list[tuple[str, Verdict]]:
    """Every claim of a paper with its verdict."""
    panels = {name: outcome.panels for name, outcome in outcomes.items()}
    small = {name for name, outcome in outcomes.items() if outcome.size == Size.QUICK.name.lower()}
    return [(claim.sentence, told_small(claim, claim.verdict(panels), small)) for claim in paper.claims]


def told_small(claim: Claim, verdict: Verdict, small: Collection[str]) -> Verdict:
    """Say where tables were small that a verdict rests on: times on them may have another order than on large ones."""
    found = [name for name in claim.needs if name in small]
    return verdict._replace(why=f"{verdict.why} (small tables only: {', '.join(found)})") if found else verdict


def claims_table(paper: Paper, outcomes: Mapping[str, Outcome]) -> Iterator[str]:
    """Yield a table of claims."""
    yield "| claim | verdict | what decides |"
    yield "|---|---|---|"
    for sentence, verdict in judged(paper, outcomes):
        yield f"| {cell(sentence)} | **{verdict.word}** | {cell(verdict.why)} |"


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def section(experiment: Experiment, outcome: Outcome | None, folder: Path) -> Iterator[str]:
    """Yield what a page has of one experiment."""
    yield f"\n## {experiment.title}"
    yield f"\n{experiment.about}"
    if outcome is None:
        yield f"\n**Not run.** `python -m benchmarks figures --only {experiment.name}` does."
        return
    if outcome.skipped:
        yield f"\n**Skipped:** {outcome.skipped}."
        return
    yield f"\n*Run at the {outcome.size} size, in {outcome.seconds:.0f} s.*"
    for place, panel in enumerate(outcome.panels):
        file = f"{PICTURES}/{experiment.name}-{place + 1}.svg"
        drawn = picture(panel, f"{experiment.title.split(':')[0]}: {panel.name}")
        drawn.write(folder / file)
        yield f"\n![{drawn.description}]({file})\n"
        yield from numbers_table(panel)
        if panel.note:
            yield f"\n{panel.note}"


def numbers_table(panel: Panel) -> Iterator[str]:
    """Yield the numbers of a panel, a row per line; the paper's own below."""
    yield f"| {panel.unit}, {panel.axis} = | " + " | ".join(figure(x) for x in panel.xs) + " |"
    yield "|---|" + "---:|" * len(panel.xs)
    lines = [*panel.lines.items(), *((f"*{name}: the paper*", values) for name, values in panel.paper.items())]
    for name, values in lines:
        yield f"| {cell(name)} | " + " | ".join(map(figure, values)) + " |"


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
        f"Written by {COMMAND} from runs of {when} on {cores} cores ({shown}). Every figure is the median of three "
        "runs, after what had to be compiled, unless its section says otherwise. Seconds are those of processors, all "
        "cores together; other work was going on at the same time, so compare them with each other, not with a clock."
    )
