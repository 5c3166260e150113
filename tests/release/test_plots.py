"""``release.plot``, ``comparison.plot()``, ``optimality.plot()``: Altair charts of what is known already."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from tests.release.report.conftest import people, policy

import sfumato as sf
from sfumato.errors import ParameterError


@pytest.fixture(scope="module")
def release() -> sf.Release:
    return policy().run(people(200))


def numbers(chart: Any) -> list[dict[str, Any]]:
    """Return what a chart draws."""
    spec = chart.to_dict()
    return [record for records in spec["datasets"].values() for record in records]


def test_loss_is_that_of_the_release(release: sf.Release):
    drawn = {one["category"]: one["value"] for one in numbers(release.plot.loss()) if "category" in one}
    assert drawn == pytest.approx(dict(release.loss.by_attribute))


def test_classes_and_risk_count_everybody(release: sf.Release):
    assert sum(one["value"] for one in numbers(release.plot.classes())) == pytest.approx(1)
    risk = numbers(release.plot.risk())
    assert sum(one["value"] for one in risk if one["series"] == "before") == pytest.approx(1)
    assert [one["value"] for one in risk if one["series"] == "after" and one["category"] == "1"] == [0]


def test_a_column_is_drawn_before_and_after(release: sf.Release):
    drawn = numbers(release.plot.column("town"))
    assert {one["series"] for one in drawn} == {"before", "after"}
    with pytest.raises(ParameterError, match="'illness' is not a quasi-identifier"):
        release.plot.column("illness")


def test_charts_can_be_changed_and_saved(release: sf.Release, tmp_path):
    release.plot.loss().properties(width=300).save(tmp_path / "loss.svg")
    assert (tmp_path / "loss.svg").read_text(encoding="utf-8").startswith("<svg")


def test_a_comparison_is_drawn_with_its_bound():
    table = sf.datasets.patients()
    found = sf.compare(table.table, table.schema, methods=["mondrian", "hilbert"], k=[2, 1000], seed=1)
    drawn = numbers(found.plot())
    assert {one["series"] for one in drawn} == {"mondrian", "hilbert", "no release can lose less"}
    shown = {(one["series"], one["x"]): one["y"] for one in drawn}
    assert all(shown[cell.method, cell.k] == cell.gcp for cell in found.cells if cell.gcp is not None)


@pytest.mark.parametrize(
    "method", [sf.EnumMulti(splits=6, minimize="dm"), sf.KOptimize(splits=4)], ids=["boxes", "cuts"]
)
def test_a_search_is_drawn_over_time(method: object):
    table = pa.table({"age": [row * 7 % 61 for row in range(90)], "size": [row * 5 % 37 for row in range(90)]})
    found = sf.anonymize(table, quasi_identifiers=["age", "size"], k=4, method=method).optimality  # type: ignore[arg-type]
    seconds, costs, bounds = zip(*found.course, strict=True)
    assert (costs[-1], bounds[-1]) == (found.cost, found.bound)
    assert list(seconds) == sorted(seconds)
    assert list(costs) == sorted(costs, reverse=True)
    assert max(bounds) <= found.cost * (1 + 1e-9)
    assert "course" not in found.to_dict()
    assert {one["series"] for one in numbers(found.plot())} == {"best found", "bound"}
