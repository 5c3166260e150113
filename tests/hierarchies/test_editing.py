"""Taxonomies from other forms, changed by hand, met by new values; sets of categories; levels that nobody declared."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import HierarchyError, ParameterError
from sfumato.hierarchies.reading import read_column

PLACES = {"Europe": {"Italy": ["Pisa", "Siena"], "Norway": ["Oslo"]}, "Asia": ["Kobe"]}
ROWS = sf.Taxonomy(PLACES).rows

TURTLE = """
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix : <http://example.org/> .
:europe a skos:Concept ; skos:prefLabel "Europe"@en, "Europa"@de .
:italy skos:prefLabel "Italy"@en, "Italien"@de ; skos:broader :europe ; skos:narrower :pisa, :siena .
:pisa skos:prefLabel "Pisa" . :siena skos:prefLabel "Siena" .
:oslo skos:notation "OSL" ; skos:broader :norway . :norway skos:prefLabel "Norway"@en ; skos:broader :europe .
"""


def test_json_nested_or_as_rows(tmp_path: Path) -> None:
    for tree in (PLACES, [list(row) for row in ROWS]):
        (tmp_path / "places.json").write_text(json.dumps(tree))
        assert sf.Taxonomy.read(tmp_path / "places.json").rows == ROWS
    (tmp_path / "places.json").write_text("[1")
    with pytest.raises(HierarchyError, match="is not JSON"):
        sf.Taxonomy.read(tmp_path / "places.json")


def test_paths_from_coarse_to_fine() -> None:
    paths = ["Europe > Italy > Pisa", "Europe>Italy>Siena", "Europe > Norway > Oslo", "Asia > Kobe"]
    assert sf.Taxonomy.from_paths(paths).rows == ROWS


def test_skos_in_all_its_forms(tmp_path: Path) -> None:
    rdflib = pytest.importorskip("rdflib")
    graph = rdflib.Graph().parse(data=TURTLE, format="turtle")
    expected = {("OSL", "Norway", "Europe", "*"), ("Pisa", "Italy", "Europe", "*"), ("Siena", "Italy", "Europe", "*")}
    for ending, form in (("ttl", "turtle"), ("rdf", "xml"), ("jsonld", "json-ld")):
        file = tmp_path / f"places.{ending}"
        graph.serialize(file, format=form)
        assert {*sf.Taxonomy.read(file).rows} == expected
    german = sf.Taxonomy.read(tmp_path / "places.ttl", language="de")
    assert ("Pisa", "Italien", "Europa", "*") in german.rows


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.ttl", "nothing", "is not valid turtle"),
        ("x.ttl", TURTLE + ":pisa skos:broader :norway .", "has two broader ones"),
        ("x.ttl", TURTLE + ":europe skos:broader :italy .", "broader than itself"),
        ("x.ttl", "", "holds no concepts"),
        ("x.jsonld", '{"@context": "http://example.org/c.json", "@id": "a"}', "context from the network"),
    ],
)
def test_skos_that_is_none(name: str, text: str, message: str, tmp_path: Path) -> None:
    pytest.importorskip("rdflib")
    (tmp_path / name).write_text(text)
    with pytest.raises(HierarchyError, match=message):
        sf.Taxonomy.read(tmp_path / name)


def test_all_faults_are_told_with_their_lines(tmp_path: Path) -> None:
    file = tmp_path / "bad.csv"
    file.write_text("a;X;*\nb;;*\na;X;*\nc;Y\nd;Y;*\n")
    with pytest.raises(HierarchyError) as caught:
        sf.Taxonomy.read(file)
    told = str(caught.value)
    assert [f"line {line}:" in told for line in (1, 2, 3, 4, 5)] == [False, True, True, True, False]


def test_merging_says_what_contradicts() -> None:
    other = sf.Taxonomy({"Norway": ["Oslo"], "France": ["Nice"]})
    with pytest.raises(HierarchyError, match="row 1 of the second"):
        sf.Taxonomy({"Italy": ["Oslo"]}).merged(other)
    assert sf.Taxonomy({"Italy": ["Pisa"]}).merged(other).rows[-1] == ("Nice", "France", "*")


def test_renaming_and_moving() -> None:
    tree = sf.Taxonomy(PLACES)
    assert tree.renamed({"Norway": "Italy"}).rows[2] == ("Oslo", "Italy", "Europe", "*")
    assert tree.moved("Oslo", "Italy").rows[2] == ("Oslo", "Italy", "Europe", "*")
    assert tree.moved("Italy", "Asia").rows[0] == ("Pisa", "Italy", "Asia", "*")
    with pytest.raises(HierarchyError, match="cannot be renamed"):
        tree.renamed({"Rome": "Roma"})
    with pytest.raises(HierarchyError, match="one level above"):
        tree.moved("Oslo", "Mars")


@pytest.mark.parametrize(("unknown", "above"), [("other", ["other", "other"]), ("Italy", ["Italy", "Europe"])])
def test_new_values_go_where_the_rule_says(unknown: str, above: list[str]) -> None:
    how = sf.Taxonomy(PLACES, unknown=unknown)
    table = pa.table({"city": ["Pisa"] * 3 + ["Rome"] * 3 + ["Kobe"] * 3})
    release = sf.anonymize(table, quasi_identifiers={"city": how}, k=3, method="lattice", seed=1)
    [told] = [caution for caution in release.cautions if caution.code == "new-values"]
    assert told.count == 1
    assert "Rome" not in told.found + told.advice
    domain = how.fit("city", pa.array(["Rome", "Pisa"]), has_missing=False).domain
    labels = [level.labels.take(pa.array(level.groups)).to_pylist()[-1] for level in domain.levels[:3]]
    assert labels == ["Rome", *above]
    with pytest.raises(HierarchyError, match="1 value that is not in its taxonomy"):
        sf.anonymize(table, quasi_identifiers={"city": sf.Taxonomy(PLACES)}, k=3)


@pytest.fixture(scope="module")
def ill() -> pa.Table:
    rng = random.Random(5)
    kinds = ["asthma", "cold", "flu", "ulcer", "gout"]
    return pa.table(
        {"age": [rng.randrange(20, 90) for _ in range(150)], "job": [rng.choice(kinds) for _ in range(150)]}
    )


@pytest.mark.parametrize("method", ["mondrian", "hilbert", "best-cuts"])
def test_sets_are_what_classes_hold(method: str, ill: pa.Table) -> None:
    roles = {"quasi_identifiers": {"age": None, "job": sf.Categorical(sets=5)}, "k": 40, "method": method, "seed": 1}
    release = sf.anonymize(ill, **roles, keep_order=True)
    plain = sf.anonymize(ill, **roles | {"quasi_identifiers": ["age", "job"]}, keep_order=True)
    shown, before = release.data["job"].to_pylist(), plain.data["job"].to_pylist()
    sets = [cell for cell in shown if cell is not None and cell.startswith("{")]
    assert sets
    assert release.loss.gcp == pytest.approx(plain.loss.gcp)
    for cell, old, true in zip(shown, before, ill["job"].to_pylist(), strict=True):
        if cell != old:
            members = cell[1:-1].split(", ")
            assert old == "*"
            assert true in members
            assert 2 <= len(members) <= 5
    reading = read_column(release.table, "job", ill["job"], release.hierarchies["job"])
    assert reading.covers(reading.original)[np.arange(len(ill)), reading.cell_of_row].all()
    assert release.verify().ok
    found = release.count({"job": "flu"})
    assert found.lower <= ill["job"].to_pylist().count("flu") <= found.upper


def test_what_cannot_be_read_as_a_set_is_none() -> None:
    domain = sf.Categorical(sets=3).fit("job", pa.array(["a", "b", "c, d", "{e"]), has_missing=True).domain
    assert domain.set_label(np.array([0, 1])) == "{a, b}"
    for codes in ([0], [0, 2], [1, 3], [0, 4], [0, 1, 2, 3]):
        assert domain.set_label(np.array(codes)) is None


def test_a_full_domain_method_gets_levels_and_says_so(ill: pa.Table) -> None:
    release = sf.anonymize(ill.select(["age"]), quasi_identifiers="age", k=10, method="lattice", seed=1)
    assert release.level_names["age"] != "any"
    [told] = [caution for caution in release.cautions if caution.code == "own-levels"]
    assert told.severity == "note"
    assert "width 5" in told.found
    declared = sf.anonymize(ill.select(["age"]), quasi_identifiers={"age": sf.Numeric([10])}, k=10, method="lattice")
    assert not [caution for caution in declared.cautions if caution.code == "own-levels"]


def test_a_negative_number_of_values_is_refused() -> None:
    with pytest.raises(ParameterError, match="'sets' parameter of Categorical"):
        sf.Categorical(sets=-1)
