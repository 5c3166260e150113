"""The harness of ``make figures``: what is registered, how claims are judged, how pages come from stored results."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, pairwise, product
from math import log2, prod
from pathlib import Path
from unittest.mock import ANY

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from benchmarks.papers import cube, judging
from benchmarks.papers.command import DOCS, main, papers
from benchmarks.papers.digest import followed, plain, reached
from benchmarks.papers.enummulti import BOUND, MEDIAN, UNIT
from benchmarks.papers.enummulti_claims import better
from benchmarks.papers.experiment import (
    MADE_UP_ALONE,
    MOST_WORDS,
    SETTLED,
    Claim,
    Experiment,
    LackingError,
    Panel,
    Paper,
    Size,
    Sweep,
    Verdict,
)
from benchmarks.papers.greedy import nearest_to_median, strict_greedy
from benchmarks.papers.measuring import task
from benchmarks.papers.mondrian_claims import more_with_skew
from benchmarks.papers.pages import RESULTS, judged, stored, verdict_pages, write_pages
from benchmarks.papers.real_tables import COIL_COLUMNS, COIL_FILES, IPUMS_COLUMNS, coil, ipums
from benchmarks.papers.single_dimensional import best_of_one
from benchmarks.papers.store import Outcome, read
from numpy.typing import NDArray

import sfumato as sf
from sfumato.common.charts.figures import _cycle
from sfumato.common.charts.theme import DASHES, LIGHT, SHAPES
from sfumato.methods import find_method
from sfumato.methods.comparators.anatomy import anatomy_groups
from sfumato.privacy import KAnonymity, LDiversity
from sfumato.table.encoding import encode
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import EquivalenceClasses, Recoding

#: The share of every cell of a cube: a sensitive value, then codes.
Cells = defaultdict[tuple[int, ...], float]

#: Every figure and table of the papers' evaluations, by the name of its experiment.
FIGURES = {
    "incognito": ["nodes", "bins", "database", "10-adult", "10-lands-end", "10-lands-end-large", "11", "12"],
    "mondrian": ["10", "11", "12", "13", "14", "15-16", "17"],
    "fast-anonymization": ["12", "13", "14", "15", "16", "17", "18", "19", "20"],
    "enummulti": ["pet", "1", "2", "3", "4", "5", "6", "7"],
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
        (judging.no_more("a", "b", "GCP"), {"a": [1, 2, 3], "b": [1, 2, 3]}, None),
        (judging.no_more("a", "b", "GCP"), {"a": [1, 2, 4], "b": [1, 3, 3]}, 1 / 2),
        (judging.no_more("a", "b", "GCP"), {"a": [1, 2, 2.9], "b": [2, 3, 3]}, 1.0),
        (judging.alike("a", "b", "GCP"), {"a": [1, 1.4, 2], "b": [1, 1, 3]}, 1.0),
        (judging.alike("a", "b", "GCP"), {"a": [0.54, 1, 1.6], "b": [1, 1, 1]}, 1 / 3),
        (judging.somewhat_more("a", "b", "GCP"), {"a": [1.1, 0.9, 1.6], "b": [1, 1, 1]}, 1 / 3),
        (judging.times_better("a", "b", "GCP", 10), {"a": [1, 1, 1], "b": [3.1, 3.2, 10]}, 2 / 3),
        (judging.no_more("a", ("b", "c"), "GCP"), {"a": [1, 2, 3], "b": [2, 3, 4], "c": [0, 0, 4]}, 4 / 6),
        (judging.clearly("a", "b", "GCP"), {"a": [1, 1, 1], "b": [1.4, 1.5, 2]}, 2 / 3),
        (judging.mostly("a", "b", "GCP"), {"a": [1, 1, 3], "b": [2, 2, 2]}, 1.0),
        (judging.mostly("a", "b", "GCP"), {"a": [1, 3, 2], "b": [2, 2, 2]}, 0.0),
        (judging.up_to("a", "b", "GCP", 10), {"a": [1, 1, 1], "b": [1, 2, 9.8]}, 1.0),
        (judging.up_to("a", "b", "GCP", 10), {"a": [1, 1, 1], "b": [1, 2, 3]}, 0.0),
        (judging.up_to("a", "b", "GCP", 10), {"a": [1, 1, 1], "b": [1, 2, 32]}, 0.0),
        (judging.at_most("a", "GCP", 2), {"a": [1, 2, 3]}, 2 / 3),
        (judging.together(judging.at_most("a", "GCP", 2), judging.trend("a", "GCP")), {"a": [1, 2, 3]}, 1 / 3),
        (judging.places(judging.no_more("a", "b", "GCP"), upto=10), {"a": [1, 3, 9], "b": [2, 2, 2]}, 1 / 2),
        (judging.places(judging.no_more("a", "b", "GCP"), above=5), {"a": [1, 3, 9], "b": [2, 2, 2]}, 0.0),
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
        (judging.uneven("a", "GCP"), {"a": [1, 1.004, 1]}, 0.0),
        (judging.more_uneven("a", ("b",), "GCP"), {"a": [1, 2, 1], "b": [1, 1.5, 1]}, 1.0),
        (judging.more_uneven("a", ("b",), "GCP"), {"a": [1, 1.5, 1], "b": [3, 1, 2]}, 0.0),
        (judging.trend("a", "GCP", most=1.5), {"a": [3, 2.5, 2.1]}, 1.0),
        (judging.trend("a", "GCP", most=1.5), {"a": [3, 2, 1]}, 1 / 2),
        (judging.trend("a", "GCP", most=1.5), {"a": [1, 1.1, 1.2]}, 0.0),
        (judging.gap_trend("b", "a", "GCP", falls=False), {"a": [0, 1, 1], "b": [0, 4, 2]}, 0.0),
        (judging.closes("b", "a", "GCP"), {"a": [1, 1, 1], "b": [9, 4, 1.2]}, 1.0),
        (judging.closes("b", "a", "GCP"), {"a": [1, 1, 1], "b": [9, 4, 2]}, 1 / 2),
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
    shown = [Verdict(share, "").shown for share in (1.0, 0.999, 0.75, 0.74, 0.25, 0.24, 0.001, 0.0, None)]
    assert shown == [
        *("holds", "mostly, 99 %", "mostly, 75 %", "partly, 74 %", "partly, 25 %", "hardly, 24 %", "hardly, 1 %"),
        *("does not hold", "not judged"),
    ]
    assert Verdict(None, "", "run small").shown == "not judged: run small"


def test_a_claim_tells_which_of_its_experiments_are_missing() -> None:
    claim = Claim("a falls", ("one", "two"), judging.trend("a", "GCP"))
    assert claim.verdict({"one": [panel(a=[3, 2, 1])]}).why.endswith("(without two)")
    assert claim.verdict({}) == Verdict(None, "no results of one, two", "not run")


def test_a_line_is_farther_ahead_with_more_skew_at_so_many_pairs_of_tables() -> None:
    found = Panel("k = 10", "σ", "DM", [0.1, 0.2, 0.3], {"a": [1, 1, 1], "b": [2, 4, 1]})
    assert more_with_skew("b", "a")([found]).share == pytest.approx(2 / 3)


def test_the_headlines_are_some_twenty() -> None:
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    assert 18 <= index.count("\n| “") <= 26


def test_a_sweep_leaves_gaps_where_nothing_was_measured() -> None:
    sweep = Sweep("census", "k")
    sweep.add(5, "a", GCP=0.1, mean_error=2)
    sweep.add(10, "b", GCP=0.2)
    found = sweep.panel("GCP", {"a": {10: 0.3}})
    assert found.lines == {"a": [0.1, None], "b": [None, 0.2]}
    assert found.paper == {"a": [None, 0.3]}
    assert sweep.panel("mean error").at("a") == {5: 2.0}


def test_a_picture_has_at_most_six_lines_each_with_its_name_at_its_end() -> None:
    pytest.importorskip("altair", reason="drawing needs sfumato[report]")
    from benchmarks.drawing import MOST_LINES, pictures  # noqa: PLC0415

    lines = {f"method {at}": [1.0 + at, 2.0 + at, 3.0] for at in range(8)}
    drawn = list(pictures(panel(**lines), "Figure 1", ("method 6", "method 7")))
    assert [len(picture.headers) - 1 for picture in drawn] == [MOST_LINES, 3]
    for picture, names in zip(drawn, (range(6), (0, 6, 7)), strict=True):
        svg = picture.svg()
        assert all(svg.count(f">method {at}<") == 1 for at in names)  # at the end, and in no legend


def test_the_papers_own_numbers_have_a_picture_of_their_own_where_there_is_no_room() -> None:
    pytest.importorskip("altair", reason="drawing needs sfumato[report]")
    from benchmarks.drawing import pictures  # noqa: PLC0415

    ours = {f"method {at}": [1.0 + at, 2.0 + at, 3.0] for at in range(4)}
    theirs = {name: [2.0, None, 4.0] for name in ours}
    few = replace(panel("GCP", **ours), paper={"method 0": [2.0, None, 4.0]})
    assert [len(picture.headers) - 1 for picture in pictures(few, "Figure 1", ())] == [5]
    many = list(pictures(replace(few, paper=theirs), "Figure 1", ()))
    assert [picture.title for picture in many] == ["Figure 1", "Figure 1; the paper's"]


def test_names_at_the_ends_of_lines_do_not_cover_each_other() -> None:
    pytest.importorskip("altair", reason="drawing needs sfumato[report]")
    from benchmarks.drawing import LINE_HEIGHT, heights  # noqa: PLC0415

    from sfumato.common.charts.charts import Axis  # noqa: PLC0415
    from sfumato.common.charts.picture import HEIGHT  # noqa: PLC0415

    axis = Axis("GCP", low=0.0, high=1.0)
    for ends in ([0.5, 0.5, 0.5], [0.0, 0.0, 0.01, 0.9], [1.0, 1.0, 0.99]):
        placed = sorted(height for height in heights({str(at): [end] for at, end in enumerate(ends)}, axis) if height)
        assert all(later - earlier >= LINE_HEIGHT - 1e-9 for earlier, later in pairwise(placed))
        assert placed[0] >= -1e-9
        assert placed[-1] <= HEIGHT + 1e-9


def test_lines_of_one_picture_look_different() -> None:
    """Ten methods are in one picture, and there are seven colours: with their dashes and marks all differ."""
    colours = [at % len(LIGHT.series) for at in range(14)]
    assert len(set(zip(colours, map(str, _cycle(DASHES, 14)), _cycle(SHAPES, 14), strict=True))) == 14


def made_up(run: bool = True) -> Paper:
    paper = Paper("made-up", "A Paper", "Somebody, 2000", "It is made up.")

    @paper.experiment("1", "Figure 1: something", "Three places.")
    def figure_1(size: Size) -> list[Panel]:
        if not run:
            raise LackingError("the table is missing")
        return [panel(a=[3, 2, 1], b=[6, 5, 4])]

    paper.claim("a is below b | always", "1", judging.no_more("a", "b", "GCP"), ("1.2", "a is lower"), headline="ours")
    return paper


def outcome(size: str = "default", budget: str = "") -> Outcome:
    digest = made_up().experiments["made-up-1"].digest()
    return Outcome("made-up-1", size, [panel(a=[3, 2, 1], b=[6, 5, 4])], "", 3.0, RAN, digest, budget)


RAN = {"day": "2000-01-02", "cores": 2, "versions": {"sfumato": "1.0"}, "size": "default"}


def written(paper: Paper, folder: Path, *outcomes: Outcome) -> tuple[str, str]:
    for outcome in outcomes:
        outcome.write(folder / RESULTS)
    write_pages([paper], folder)
    return (folder / "made-up.md").read_text(encoding="utf-8"), (folder / "index.md").read_text(encoding="utf-8")


def test_pages_come_from_stored_results(tmp_path: Path) -> None:
    page, index = written(made_up(), tmp_path, outcome())
    assert read(tmp_path / RESULTS, "made-up-1") == outcome()
    assert "| a is below b \\| always | **holds** | at 3 of 3 points;" in page
    assert "| “a is lower” ([1.2](claims.md#made-up-1)) |  | **holds** | at 3 of 3 points;" in index
    assert "1 claims of the papers, judged in 1 forms: 1 holds; and 0 of our own." in index
    claims = (tmp_path / "claims.md").read_text(encoding="utf-8")
    assert "<details><summary><b>holds</b>, 100 %: 1</summary>" in claims
    assert "| 100 % | a is below b \\| always | [made-up 1](#made-up-1) |" in claims
    assert "### made-up-1\n\n1.2: “a is lower”" in claims
    assert "| b | 6 | 5 | 4 |" in page
    assert "2000-01-02 on 2 cores (sfumato 1.0)" in page
    assert "<svg" in (tmp_path / "pictures" / "made-up-1-1.svg").read_text(encoding="utf-8")


def test_what_was_skipped_or_never_run_is_visible(tmp_path: Path) -> None:
    page, index = written(made_up(), tmp_path)
    assert "**Not run.**" in page
    assert "**not judged: not run** | no results of made-up-1" in index
    digest = made_up().experiments["made-up-1"].digest()
    skipped = Outcome("made-up-1", "default", skipped="the table is missing", digest=digest)
    page, _ = written(made_up(), tmp_path, skipped)
    assert "**Skipped:** the table is missing." in page


@pytest.mark.parametrize(
    ("kept", "reason"),
    [
        (outcome("quick"), "run small"),
        (replace(outcome(), digest="of other code"), "to be run again"),
        (replace(outcome(), panels=[replace(outcome().panels[0], made_up=True)]), "made-up table"),
        (replace(outcome(), panels=[panel(a=[9, 9, 9], b=[6, 5, 4])], budget="1 s"), "budget"),
    ],
    ids=["small", "stale", "made up", "hurried"],
)
def test_results_that_cannot_decide_decide_nothing(kept: Outcome, reason: str) -> None:
    paper = made_up()
    paper.claims = [replace(paper.claims[0], table="census", budget="an hour")]
    ((_, verdict),) = judged(paper, {"made-up-1": kept})
    assert verdict.shown == f"not judged: {reason}"


def test_a_verdict_says_how_a_claim_fares_on_real_tables_alone() -> None:
    invented, real = (
        replace(panel(name=name, a=[1, 2, 3], b=values), made_up=name == "census")
        for name, values in (("census", [2, 3, 4]), ("Adult", [2, 1, 4]))
    )
    claim = Claim("a is below b", ("one",), judging.no_more("a", "b", "GCP"), "1", "a is lower")
    assert claim.verdict({"one": [real]}).on == ""
    assert claim.verdict({"one": [invented, real]}).on == "on real tables alone: partly, 67 %"
    assert claim.verdict({"one": [invented]}).on == MADE_UP_ALONE
    on_adult = replace(claim, judge=judging.no_more("a", "b", "GCP", within="Adult"))
    assert on_adult.verdict({"one": [invented, real]}).on == ""


def test_what_more_time_would_not_change_is_judged() -> None:
    """A greedy that is below a margin over the proven bound, too, stays below it for every search."""

    def found(bound: float) -> Panel:
        lines = {MEDIAN: [1.3, 1.1], BOUND: [1.0, bound]}
        return Panel("Adult", "k", UNIT, [10.0, 20.0], lines)

    assert better(MEDIAN, 1.2)([found(1.0)]) == Verdict(0.5, ANY, SETTLED)
    assert better(MEDIAN, 1.2)([found(0.9)]).reason == ""
    spread = {BOUND: [[1.0, 1.0], [0.9, 1.0]]}
    assert better(MEDIAN, 1.2)([replace(found(1.0), spread=spread)]).reason == ""


def test_what_holds_in_less_time_than_the_papers_holds() -> None:
    paper = made_up()
    paper.claims = [replace(paper.claims[0], budget="an hour")]
    ((_, verdict),) = judged(paper, {"made-up-1": outcome(budget="1 s")})
    assert verdict.shown == "holds"
    assert "(the search had 1 s, the paper's an hour)" in verdict.why


def test_a_digest_is_of_what_is_computed_not_of_words() -> None:
    one, other = (plain(ast.parse(f'def f(x):\n    """{words}"""\n    return x')) for words in ("One.", "Other."))
    assert one == other
    assert one != plain(ast.parse("def f(x):\n    return x + 1"))
    # What an experiment reaches by name belongs to it, through other modules of benchmarks, too.
    found = " ".join(reached("benchmarks.papers.mondrian", "figure_10"))
    assert "benchmarks.papers.mondrian compare " in found
    assert "benchmarks.papers.single_dimensional best_of_one " in found
    assert "benchmarks.papers.mondrian figure_17 " not in found


def test_a_digest_covers_what_a_method_imports_from_its_family() -> None:
    found = followed(["sfumato.methods.linear.hilbert", "sfumato.loss.metrics"])
    assert {"sfumato.methods.linear.optimal_runs", "sfumato.methods.linear.kernels.runs"} <= found
    # What all methods share decides how fast they are, not what they find.
    assert not {"sfumato.common.threads", "sfumato.methods.base"} & found
    for paper in papers():
        for experiment in paper.experiments.values():
            assert experiment.rests_on, experiment.name


def test_the_pages_are_those_of_the_stored_results_and_of_this_code() -> None:
    """Fails when code has changed that results rest on: the pages must then say that nothing is judged on these."""
    for name, lines in verdict_pages(papers(), stored(papers(), DOCS)).items():
        text = (DOCS / name).read_text(encoding="utf-8")
        told = "run `python -m benchmarks figures --pages`, or the experiments that this code belongs to"
        assert text == "\n".join(lines).rstrip() + "\n", f"docs/papers/{name} is older than the code: {told}"


def test_every_claim_of_a_paper_has_a_section_and_a_short_quotation() -> None:
    for paper in papers():
        for claim in paper.claims:
            assert bool(claim.section) == bool(claim.quote), claim.sentence
            assert len(claim.quote.split()) <= MOST_WORDS, claim.quote
    headlines = {(paper.name, claim.quote) for paper in papers() for claim in paper.claims if claim.headline}
    assert 20 <= len(headlines) <= 35


def test_an_experiment_that_lacks_something_is_stored_as_skipped(capsys: pytest.CaptureFixture[str]) -> None:
    from benchmarks.papers.command import run  # noqa: PLC0415

    experiment: Experiment = made_up(run=False).experiments["made-up-1"]
    assert run(experiment, Size.QUICK).skipped == "the table is missing"
    assert "skipped: the table is missing" in capsys.readouterr().out


def test_one_experiment_runs_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--quick", "--only", "mondrian-10", "--folder", str(tmp_path)]) == 0
    assert "Figure 10" in capsys.readouterr().out
    kept = read(tmp_path / RESULTS, "mondrian-10")
    assert kept is not None
    assert kept.panels[0].at("multidimensional").keys() == {5, 50}
    assert (tmp_path / "index.md").exists()
    # The bound of single-dimensional recodings is one, and full-domain recodings are among them.
    for k in (5, 50):
        bound, single, full = (
            kept.panels[0].at(line)[k] for line in ("single-dimensional, bound", "single-dimensional", "full-domain")
        )
        assert bound <= single <= full


def test_an_unknown_experiment_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--only", "mondrian-99"]) == 2
    assert "no experiment called mondrian-99" in capsys.readouterr().err


# The papers' real tables, from files as people download them


def test_coil_is_read_from_its_two_files(tmp_path: Path) -> None:
    for name, rows in zip(COIL_FILES, (["33\t1\t3\t2\t8\t0", "37\t1\t2\t2\t8\t1"], ["4\t2\t2\t3\t1\t5"]), strict=True):
        (tmp_path / name).write_text("\n".join(rows) + "\n", encoding="utf-8")
    table = coil(tmp_path)
    assert (len(table), table.names) == (3, COIL_COLUMNS)
    assert table.domains[0].texts.to_pylist() == ["4", "33", "37"]
    (tmp_path / COIL_FILES[1]).unlink()
    with pytest.raises(LackingError, match=COIL_FILES[1]):
        coil(tmp_path)


def test_an_extract_of_the_census_is_read_by_the_names_of_its_columns(tmp_path: Path) -> None:
    file, random = tmp_path / "extract.csv", np.random.default_rng(1)
    columns = {name: random.integers(1, 9, 60) for name in (*IPUMS_COLUMNS, "OCC", "PERWT")}
    pyarrow.csv.write_csv(pa.table(columns), file)
    table = ipums(file, 40)
    assert (len(table), table.names) == (40, tuple(IPUMS_COLUMNS))
    assert [len(getattr(domain, "levels", ())) > 2 for domain in table.domains] == [
        h > 1 for h in IPUMS_COLUMNS.values()
    ]
    assert table.sensitive[0].codes.size == 40
    assert find_method("hilbert").run(task(table, LDiversity(2))) is not None
    with pytest.raises(LackingError, match="60 people, and 61 are needed"):
        ipums(file, 61)
    pyarrow.csv.write_csv(pa.table({name: columns[name] for name in columns if name != "BPL"}), file)
    with pytest.raises(LackingError, match="BPL"):
        ipums(file, 40)


# The measures and searches that only the experiments use, against slow forms of themselves


def small_table() -> Microdata:
    random = np.random.default_rng(3)
    table = pa.table(
        {
            "age": random.integers(20, 26, 40),
            "town": random.choice(["a", "b", "c"], 40),
            "illness": random.choice(["flu", "gout", "cold", "acne"], 40),
        }
    )
    return encode(table, {"age": sf.Numeric(), "town": sf.Categorical()}, ["illness"])


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("exactly", [True, False], ids=["whole cube", "cells of rows"])
def test_the_divergence_of_the_cube_is_that_of_all_its_cells(
    level: int, exactly: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = small_table()
    monkeypatch.setattr(cube, "EXACT_LEVEL", 2 if exactly else 0)
    recoding = find_method("hilbert").run(task(people, LDiversity(2)))
    groups = anatomy_groups(people.sensitive[0], 2, np.random.default_rng(1))
    for shares, spread in (
        (cube.of_classes(people, recoding), spread_over_boxes(people, recoding)),
        (cube.of_groups(people, groups), spread_over_groups(people, groups)),
    ):
        wanted = np.mean([slow_divergence(people, spread, subset) for subset in combinations(range(2), level)])
        assert cube.divergence(people, shares, level) == pytest.approx(wanted)


def spread_over_boxes(people: Microdata, recoding: Recoding) -> Cells:
    """Return the share of every cell when each row is spread evenly over what its class shows."""
    classes = EquivalenceClasses.of(people, recoding)
    cells: Cells = defaultdict(float)
    for row, which in enumerate(classes.of_row):
        spans = []
        for at, domain in enumerate(people.domains):
            low, high = domain.covered(classes.lo[which : which + 1, at], classes.hi[which : which + 1, at])
            spans.append(range(int(low[0]), int(high[0]) + 1))
        for place in product(*spans):
            cells[(int(people.sensitive[0].codes[row]), *place)] += 1 / prod(map(len, spans)) / len(people)
    return cells


def spread_over_groups(people: Microdata, groups: Sequence[int]) -> Cells:
    """Return the share of every cell when each row has the sensitive values of its whole group."""
    cells: Cells = defaultdict(float)
    for row, group in enumerate(groups):
        members = [other for other, its in enumerate(groups) if its == group]
        for other in members:
            value = int(people.sensitive[0].codes[other])
            cells[(value, *map(int, people.codes[row]))] += 1 / len(members) / len(people)
    return cells


def slow_divergence(people: Microdata, spread: Cells, subset: tuple[int, ...]) -> float:
    truth, told = Counter[tuple[int, ...]](), defaultdict[tuple[int, ...], float](float)
    for row in range(len(people)):
        truth[(int(people.sensitive[0].codes[row]), *(int(people.codes[row, at]) for at in subset))] += 1
    for cell, share in spread.items():
        told[(cell[0], *(cell[1 + at] for at in subset))] += share
    return sum(count / len(people) * log2(count / len(people) / told[cell]) for cell, count in truth.items())


def test_the_best_cuts_of_one_attribute_are_the_best_of_all() -> None:
    counts = np.random.default_rng(5).integers(0, 5, (7, 3))
    wanted = min(
        (int((sums**2).sum()) for cuts in every_cut(7) for sums in [np.add.reduceat(counts, cuts)] if kept(sums, 4)),
    )
    cost, cuts = best_of_one(counts, 4)
    assert cost == wanted
    assert (np.add.reduceat(counts, cuts) ** 2).sum() == wanted


def every_cut(values: int) -> Iterator[list[int]]:
    for count in range(values):
        yield from ([0, *chosen] for chosen in combinations(range(1, values), count))


def kept(sums: NDArray[np.int64], k: int) -> bool:
    return bool(((sums == 0) | (sums >= k)).all())


def test_a_greedy_leaves_blocks_as_long_as_they_must_be() -> None:
    line = encode(pa.table({"x": list(range(16)) * 2}), {"x": sf.Numeric()})
    cuts = [np.arange(1, 16)]
    free = strict_greedy(line, [KAnonymity(2)], cuts, nearest_to_median)
    long = strict_greedy(line, [KAnonymity(2)], cuts, nearest_to_median, least=[4])
    assert (free, long) == (16 * 2**2, 4 * 8**2)
