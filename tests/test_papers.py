"""The harness of ``make figures``: what is registered, how claims are judged, how pages come from stored results."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.papers import judging
from benchmarks.papers.command import main, papers
from benchmarks.papers.experiment import Claim, Experiment, LackingError, Panel, Paper, Size, Sweep, Verdict
from benchmarks.papers.pages import RESULTS, write_pages
from benchmarks.papers.store import Outcome, read

#: Every figure and table of the papers' evaluations, by the name of its experiment.
FIGURES = {
    "mondrian": ["10", "11", "12", "13", "14", "15-16", "17"],
}


def panel(unit: str = "GCP", name: str = "census", **lines: list[float | None]) -> Panel:
    return Panel(name, "k", unit, [5.0, 10.0, 50.0], lines)


def test_every_figure_of_the_papers_has_an_experiment() -> None:
    registered = {paper.name: [name.removeprefix(f"{paper.name}-") for name in paper.experiments] for paper in papers()}
    missing = {
        (paper, figure) for paper, names in FIGURES.items() for figure in names if figure not in registered[paper]
    }
    assert missing == set()


def test_every_claim_is_about_experiments_that_exist_and_every_experiment_has_one() -> None:
    for paper in papers():
        needed = {name for claim in paper.claims for name in claim.needs}
        assert needed == set(paper.experiments)


@pytest.mark.parametrize(
    ("judge", "lines", "share"),
    [
        (judging.no_more("a", "b", "GCP"), {"a": [1, 2, 3], "b": [1, 2, 3]}, 1.0),
        (judging.no_more("a", "b", "GCP"), {"a": [1, 2, 4], "b": [1, 2, 3]}, 2 / 3),
        (judging.no_more("a", "b", "GCP"), {"a": [2, 3, 4], "b": [1, 2, 3]}, 0.0),
        (judging.no_more("a", "b", "GCP", factor=10), {"a": [1, 2, 3], "b": [10, 19, 40]}, 2 / 3),
        (judging.no_more("a", "b", "GCP"), {"a": [1, None, None], "b": [None, 2, 3]}, None),
        (judging.trend("a", "GCP"), {"a": [3, 2, 1]}, 1.0),
        (judging.trend("a", "GCP"), {"a": [3, 4, 1]}, 0.5),
        (judging.trend("a", "GCP"), {"a": [1, 2, 3]}, 0.0),
        (judging.trend("a", "GCP", falls=False), {"a": [1, 2, 3]}, 1.0),
        (judging.gap_trend("b", "a", "GCP"), {"a": [1, 1, 1], "b": [9, 4, 2]}, 1.0),
        (judging.gap_trend("b", "a", "GCP"), {"a": [1, 1, 1], "b": [1, 2, 4]}, 0.0),
        (judging.steady("a", "GCP"), {"a": [1, 1.4, 1.2]}, 1.0),
        (judging.steady("a", "GCP"), {"a": [1, 1.6, 1.2]}, 0.0),
        (judging.uneven("a", "GCP"), {"a": [1, 2, 1]}, 1.0),
        (judging.uneven("a", "GCP"), {"a": [1, 2, 3]}, 0.0),
        (judging.mean_ratio("b", "a", "GCP", at_least=4), {"a": [1, 1, 1], "b": [3, 4, 5]}, 1.0),
        (judging.mean_ratio("b", "a", "GCP", at_least=4.1), {"a": [1, 1, 1], "b": [3, 4, 5]}, 0.0),
        (judging.trend("a", "seconds"), {"a": [3, 2, 1]}, None),
    ],
)
def test_claims_are_judged_by_the_numbers(
    judge: judging.Judge, lines: dict[str, list[float | None]], share: float | None
) -> None:
    verdict = judge([panel(**lines)])
    assert verdict.share == (share if share is None else pytest.approx(share))
    assert verdict.why


def test_a_verdict_is_a_word() -> None:
    words = [Verdict(share, "").word for share in (1.0, 0.5, 0.0, None)]
    assert words == ["holds", "holds in part", "does not hold", "not judged"]


def test_a_claim_tells_which_of_its_experiments_are_missing() -> None:
    claim = Claim("a falls", ("one", "two"), judging.trend("a", "GCP"))
    assert claim.verdict({"one": [panel(a=[3, 2, 1])]}).why.endswith("(without two)")
    assert claim.verdict({}) == Verdict(None, "no results of one, two")


def test_a_sweep_leaves_gaps_where_nothing_was_measured() -> None:
    sweep = Sweep("census", "k")
    sweep.add(5, "a", GCP=0.1, mean_error=2)
    sweep.add(10, "b", GCP=0.2)
    found = sweep.panel("GCP", {"a": {10: 0.3}})
    assert found.lines == {"a": [0.1, None], "b": [None, 0.2]}
    assert found.paper == {"a": [None, 0.3]}
    assert sweep.panel("mean error").at("a") == {5: 2.0}


def made_up(run: bool = True) -> Paper:
    paper = Paper("made-up", "A Paper", "Somebody, 2000", "It is made up.")

    @paper.experiment("1", "Figure 1: something", "Three places.")
    def figure_1(size: Size) -> list[Panel]:
        if not run:
            raise LackingError("the table is missing")
        return [panel(a=[3, 2, 1], b=[6, 5, 4])]

    paper.claim("a is below b | always", "1", judging.no_more("a", "b", "GCP"))
    return paper


def written(paper: Paper, folder: Path, *outcomes: Outcome) -> tuple[str, str]:
    for outcome in outcomes:
        outcome.write(folder / RESULTS)
    write_pages([paper], folder)
    return (folder / "made-up.md").read_text(encoding="utf-8"), (folder / "index.md").read_text(encoding="utf-8")


def test_pages_come_from_stored_results(tmp_path: Path) -> None:
    ran = {"day": "2000-01-02", "cores": 2, "versions": {"sfumato": "1.0"}, "size": "default"}
    outcome = Outcome("made-up-1", "default", [panel(a=[3, 2, 1], b=[6, 5, 4])], seconds=3.0, ran=ran)
    page, index = written(made_up(), tmp_path, outcome)
    assert read(tmp_path / RESULTS, "made-up-1") == outcome
    assert "| a is below b \\| always | **holds** | at 3 of 3 points;" in page
    assert "| a is below b \\| always | **holds** |" in index
    assert "1 claims: 1 holds." in index
    assert "| b | 6 | 5 | 4 |" in page
    assert "2000-01-02 on 2 cores (sfumato 1.0)" in page
    assert "<svg" in (tmp_path / "pictures" / "made-up-1-1.svg").read_text(encoding="utf-8")


def test_what_was_skipped_or_never_run_is_visible(tmp_path: Path) -> None:
    page, index = written(made_up(), tmp_path)
    assert "**Not run.**" in page
    assert "**not judged** | no results of made-up-1" in index
    page, _ = written(made_up(), tmp_path, Outcome("made-up-1", "default", skipped="the table is missing"))
    assert "**Skipped:** the table is missing." in page


def test_an_experiment_that_lacks_something_is_stored_as_skipped(capsys: pytest.CaptureFixture[str]) -> None:
    from benchmarks.papers.command import run  # noqa: PLC0415

    experiment: Experiment = made_up(run=False).experiments["made-up-1"]
    assert run(experiment, Size.QUICK).skipped == "the table is missing"
    assert "skipped: the table is missing" in capsys.readouterr().out


def test_one_experiment_runs_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--quick", "--only", "mondrian-10", "--folder", str(tmp_path)]) == 0
    assert "Figure 10" in capsys.readouterr().out
    outcome = read(tmp_path / RESULTS, "mondrian-10")
    assert outcome is not None
    assert outcome.panels[0].at("multidimensional").keys() == {5, 50}
    assert (tmp_path / "index.md").exists()
    # The bound of single-dimensional recodings is one, and full-domain recodings are among them.
    for k in (5, 50):
        bound, single, full = (
            outcome.panels[0].at(line)[k] for line in ("single-dimensional, bound", "single-dimensional", "full-domain")
        )
        assert bound <= single <= full


def test_an_unknown_experiment_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--only", "mondrian-99"]) == 2
    assert "no experiment called mondrian-99" in capsys.readouterr().err
