"""Comparing methods: every cell like a release of its own, one reading, and failures that do not stop the rest."""

from __future__ import annotations

import pytest

import sfumato as sf
from sfumato.api import compare as comparing
from sfumato.errors import ParameterError
from sfumato.io import open_source


@pytest.fixture(scope="module")
def people():
    return sf.datasets.census(rows=300, seed=1).without_levels()


def test_every_cell_is_what_a_release_of_its_own_would_be(people) -> None:
    found = sf.compare(people.table, people.schema, methods=["mondrian", "hilbert"], k=[5, 20], seed=1)
    assert [(cell.method, cell.k) for cell in found.cells] == [
        ("mondrian", 5), ("hilbert", 5), ("mondrian", 20), ("hilbert", 20),
    ]  # fmt: skip
    for cell in found.cells:
        release = sf.anonymize(people.table, people.schema, k=cell.k, method=cell.method, seed=1)
        assert cell.gcp == pytest.approx(release.loss.gcp)
        assert cell.dm == pytest.approx(release.loss.dm)
        assert cell.bound == pytest.approx(float(release.bound))
        assert cell.k <= cell.achieved <= release.achieved.k
    best = {k: min(cell.gcp for cell in found.cells if cell.k >= k) for k in (5, 20)}
    assert {(cell.k, cell.gcp) for cell in found.frontier} == set(best.items())
    assert found.table.num_rows == 4
    assert "mondrian" in str(found)


def test_a_cell_that_fails_says_why_and_the_others_go_on(people) -> None:
    found = sf.compare(people.table, people.schema, methods=["mondrian"], k=[10_000, 5], seed=1)
    failed, fine = found.cells
    assert failed.gcp is None
    assert "10,000" in failed.failed or "10000" in failed.failed
    assert not failed.frontier
    assert fine.failed is None


def test_a_cell_has_what_a_reader_counts_and_what_is_left_of_the_table(people) -> None:
    found = sf.compare(
        people.table, people.schema, methods=["mondrian"], k=[5], privacy=[sf.LDiversity(2)], utility=True, seed=1
    )
    [cell] = found.cells
    release = sf.anonymize(people.table, people.schema, k=5, l=2, method="mondrian", seed=1)
    assert (cell.achieved, cell.l, cell.t) == (release.achieved.k, release.verification.l, release.verification.t)
    assert cell.l >= 2
    measured = sf.utility(people.table, release, seed=1)
    assert set(cell.utility) == set(measured)
    assert cell.utility["total_variation"] == pytest.approx(measured["total_variation"].value)
    assert found.table["total_variation"].to_pylist() == [cell.utility["total_variation"]]
    header, [row] = found.rows()
    assert dict(zip(header, row, strict=True))["l"] == f"{cell.l:.2f}"
    assert str(found).splitlines()[0].split() == [*header[:2], "has", "k", *header[3:-1]]


def test_the_table_is_read_once(people, tmp_path, monkeypatch) -> None:
    release = sf.anonymize(people.table, people.schema, k=2, method="mondrian", seed=1)
    path = tmp_path / "people.parquet"
    release.write(path)
    opened = []

    def counting(*given, **more):
        opened.append(given)
        return open_source(*given, **more)

    monkeypatch.setattr("sfumato.run.request.open_source", counting)
    names = list(people.schema.quasi_identifiers)
    sf.compare(path, sf.Schema(names, rest="drop"), methods=["mondrian", "hilbert"], k=[2, 5], seed=1)
    assert len(opened) == 1


def test_a_time_limit_goes_to_the_methods_that_take_one(people) -> None:
    found = sf.compare(people.table, people.schema, methods=["k-optimize", "mondrian"], k=[5], time_limit=0.05, seed=1)
    assert all(cell.failed is None for cell in found.cells)
    with pytest.raises(ParameterError, match="time_limit"):
        sf.compare(people.table, people.schema, methods=["k-optimize"], k=[5], time_limit=0, seed=1)


def test_one_method_and_one_k_need_no_list(people) -> None:
    [cell] = sf.compare(people.table, people.schema, methods="mondrian", k=5, seed=1).cells
    assert (cell.method, cell.k, cell.failed) == ("mondrian", 5, None)
    with pytest.raises(ParameterError, match="'k' of compare is empty"):
        sf.compare(people.table, people.schema, k=[])


def test_ctrl_c_keeps_the_cells_that_are_done(people, monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []

    def impatient(*given: object) -> object:
        tried.append(given)
        if len(tried) > 1:
            raise KeyboardInterrupt
        return done(*given)

    done = comparing._cell
    monkeypatch.setattr(comparing, "_cell", impatient)
    found = sf.compare(people.table, people.schema, methods=["mondrian", "hilbert"], k=[5, 20], seed=1)
    assert [(cell.method, cell.k) for cell in found.cells] == [("mondrian", 5)]
    assert found.ended == "Ctrl-C"
    assert "Ctrl-C ended the comparison" in str(found)
    with pytest.raises(KeyboardInterrupt):  # nothing is done, so there is nothing to keep
        sf.compare(people.table, people.schema, methods="mondrian", k=5, seed=1)
