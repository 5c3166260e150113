"""The policy in a report: it makes the release again, and lists no value that the release does not show."""

from __future__ import annotations

import tomllib

import pyarrow as pa
from tests.release.report.conftest import SCHOOLS

import sfumato as sf
from sfumato.release.report.sections.policy import shown_policy

RELEASED = pa.table(
    {"school": ["basic", "*", "college"], "rank": ["low", "[low, high]", "high"], "age": ["1", "2", "*"]}
)


def shown(**more: object) -> tuple[dict, list[str]]:
    schema = sf.Schema(
        {
            "school": sf.Taxonomy(SCHOOLS),
            "rank": sf.Ordered(["low", "middle", "high"]),
            "age": sf.Numeric(widths=[5, 10]),
            "born": sf.Dates(levels=["month", "year"]),
        },
        sensitive="illness",
    )
    policy = sf.Policy(schema, [sf.KAnonymity(5)], seed=4321, **more)  # type: ignore[arg-type]
    text, elided = shown_policy(policy.to_dict(), RELEASED)
    return tomllib.loads(text), elided


def test_lists_of_values_are_left_out_unless_the_release_shows_all():
    data, elided = shown()
    assert elided == ["school", "rank"]
    assert data["quasi_identifiers"]["school"] == {"type": "taxonomy", "file": "taxonomy.csv"}
    assert data["quasi_identifiers"]["rank"] == {"type": "ordered", "order": ["(left out)"]}
    assert data["quasi_identifiers"]["born"] == {"type": "dates", "levels": ["month", "year"]}
    assert data["quasi_identifiers"]["age"] == {"type": "numeric", "widths": [5, 10]}


def test_what_the_release_shows_is_kept():
    everything = pa.table({"rank": ["low", "middle", "high"]})
    record = {"quasi_identifiers": {"rank": {"type": "ordered", "order": ["low", "middle", "high"]}}}
    text, elided = shown_policy({**record, "privacy": [], "method": {"name": "auto"}}, everything)
    assert elided == []
    assert tomllib.loads(text)["quasi_identifiers"] == record["quasi_identifiers"]


def test_neither_the_seed_nor_queries_nor_folders_are_told():
    queries = [{"age": (30, 77)}]
    data, _ = shown(method=sf.Lattice(minimize=queries))
    assert "seed" not in data["options"]
    assert data["method"]["minimize"] == "1 queries"
    record = {"type": "taxonomy", "file": "/home/somebody/secret/schools.csv"}
    text, elided = shown_policy(
        {"quasi_identifiers": {"x": record}, "privacy": [], "method": {"name": "auto"}}, RELEASED
    )
    assert tomllib.loads(text)["quasi_identifiers"]["x"]["file"] == "schools.csv"
    assert elided == []
