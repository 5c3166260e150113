"""Incognito on the examples of its paper, and what its search tells."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.helpers import task_of

from sfumato.datasets import adult, patients
from sfumato.errors import ParameterError
from sfumato.hierarchies import Numeric
from sfumato.methods import Task
from sfumato.methods.lattice.bottom_up import BottomUp
from sfumato.methods.lattice.incognito import Incognito, SubsetSearch, generalizations
from sfumato.methods.lattice.judge import NodeJudge
from sfumato.methods.lattice.lattice import Lattice
from sfumato.methods.lattice.materialized import materialized, shortest_below
from sfumato.methods.lattice.nodes import Space
from sfumato.privacy import KAnonymity, Requirements
from sfumato.table.encoding import encode

B, S, Z = 0, 1, 2
VARIANTS = ["basic", "superroots", "cube", "materialized"]


def patients_search(variant: str = "basic") -> SubsetSearch:
    """Run Incognito on the Patients table of the paper with k = 2, attributes birthdate, sex, zipcode."""
    dataset = patients("birthdate")
    declared = {name: dataset.hierarchies[name] for name in ("birthdate", "sex", "zipcode")}
    microdata = encode(dataset.table, declared)
    task = Task(microdata, Requirements((KAnonymity(2),), microdata))
    search = SubsetSearch(NodeJudge(task), Space(microdata.domains), variant)
    search.run()
    return search


def of(nodes: set, *subset: int) -> set:
    return {levels for attributes, levels in nodes if attributes == subset}


@pytest.mark.parametrize("variant", VARIANTS)
def test_example_3_1_single_attributes_need_no_generalization(variant: str) -> None:
    survivors = patients_search(variant).survivors[1]
    assert of(survivors, B) == {(0,), (1,)}
    assert of(survivors, S) == {(0,), (1,)}
    assert of(survivors, Z) == {(0,), (1,), (2,)}


@pytest.mark.parametrize("variant", VARIANTS)
def test_example_3_1_the_searches_of_figure_5(variant: str) -> None:
    search = patients_search(variant)
    assert of(search.graphs[2], S, Z) == {(sex, zipcode) for sex in (0, 1) for zipcode in (0, 1, 2)}
    assert of(search.survivors[2], S, Z) == {(1, 0), (1, 1), (0, 2), (1, 2)}
    assert of(search.survivors[2], B, Z) == {(1, 0), (1, 1), (0, 2), (1, 2)}
    assert of(search.survivors[2], B, S) == {(1, 0), (0, 1), (1, 1)}


def test_example_3_1_checks_only_what_is_not_marked() -> None:
    # Sex and zipcode: (0, 0), (1, 0), (0, 1) and (0, 2); the two above (1, 0) are marked. The same for birthdate and
    # zipcode. Birthdate and sex: (0, 0), (1, 0), (0, 1).
    search = patients_search()
    assert search.search.nodes_checked - 3 - checked_in_the_last_step(search) == 4 + 4 + 3


def checked_in_the_last_step(search: SubsetSearch) -> int:
    """The three roots of Figure 7 (a); what lies above them is checked only above those that fail."""
    before = search.search.nodes_checked
    search._survivors(search.graphs[3], last=True)
    return search.search.nodes_checked - before


def test_example_3_2_the_candidate_graph_of_figure_7() -> None:
    graph = patients_search().graphs[3]
    nodes = {(1, 1, 0), (1, 1, 1), (1, 0, 2), (0, 1, 2), (1, 1, 2)}
    assert of(graph, B, S, Z) == nodes
    edges = {(node[1], above[1]) for node in graph for above in generalizations(node) if above in graph}
    assert edges == {
        ((1, 1, 0), (1, 1, 1)),
        ((1, 1, 1), (1, 1, 2)),
        ((1, 0, 2), (1, 1, 2)),
        ((0, 1, 2), (1, 1, 2)),
    }


def test_superroots_scan_once_per_family_and_cube_scans_once() -> None:
    scans = {}
    for variant in ("basic", "superroots", "cube"):
        search = patients_search(variant)
        scans[variant] = search.judge.roller.scans
    # Basic: three attributes, three pairs, and the three roots of Figure 7 (a).
    assert scans == {"basic": 9, "superroots": 7, "cube": 1}


def test_sets_at_various_levels_are_kept_where_they_save_scans() -> None:
    random = np.random.default_rng(1)
    columns = {f"q{at}": random.integers(0, 9, 20_000) * (random.random(20_000) < 0.7) for at in range(4)}
    microdata = encode(pa.table(columns), {name: Numeric(widths=(5, 10, 20)) for name in columns})
    judge, space = NodeJudge(task_of(microdata, 30)), Space(microdata.domains)
    kept = materialized(judge, space)
    assert len({sum(found.levels) for found in kept}) > 1
    assert all(found.counts.sum() == 20_000 for found in kept)
    for node in space.nodes():
        below = [len(found) for found in kept if all(map(int.__le__, found.levels, node))]
        shortest = shortest_below(kept, node)
        assert (shortest is None) == (not below)
        assert shortest is None or len(shortest) == min(below)
    searches = {variant: Incognito(variant=variant).run(judge.task).details["search"] for variant in VARIANTS}
    assert len({search.nodes_checked for search in searches.values()}) == 1
    assert searches["materialized"].scans < searches["superroots"].scans < searches["basic"].scans


def test_an_unknown_variant_is_refused() -> None:
    with pytest.raises(ParameterError, match="'variant' parameter of Incognito"):
        Incognito(variant="fast")


# The paper's table in Section 4.2.1: quasi-identifier size, nodes searched bottom-up, and by Incognito.
PAPER = [(5, 206, 103), (6, 680, 246), (7, 2088, 664), (8, 6366, 1778), (9, 12818, 4307)]
ORDER = (
    *("age", "sex", "race", "marital-status", "education"),
    *("native-country", "workclass", "occupation", "salary-class"),
)


@pytest.mark.parametrize(("size", "bottom_up", "incognito"), PAPER)
def test_nodes_searched_on_adult_are_close_to_the_paper(
    adult_dir: Path, size: int, bottom_up: int, incognito: int
) -> None:
    dataset = adult(adult_dir, rows=45_222)
    microdata = encode(dataset.table, {name: dataset.hierarchies[name] for name in ORDER[:size]})
    task = Task(microdata, Requirements((KAnonymity(2),), microdata))
    found = Incognito().run(task).details
    assert found["search"].nodes_checked == pytest.approx(incognito, rel=0.2)
    answers = found["alternatives"].answers
    assert Lattice().run(task).details["alternatives"].answers == answers
    if size < 9:
        exhaustive = BottomUp().run(task).details
        assert exhaustive["search"].nodes_checked == pytest.approx(bottom_up, rel=0.2)
        assert exhaustive["alternatives"].answers == answers
    else:
        # Bottom-up checks every node that is no answer, and the minimal answers: half a minute of counting.
        space = Space(microdata.domains)
        assert space.size - len(answers) == pytest.approx(bottom_up, rel=0.2)
