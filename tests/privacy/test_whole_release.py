"""Conditions on a release as a whole: exact against brute force, kept by methods of every kind, and verified."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

import sfumato as sf
from sfumato.errors import InfeasibleError, ParameterError, SchemaError
from sfumato.privacy.estimators import estimate
from sfumato.privacy.whole_release import WholeRelease
from sfumato.verify.estimates import ESTIMATED, expected_uniques
from sfumato.verify.release import verify_release

TREE = sf.Taxonomy({"north": ["a", "b"], "south": ["c", "d"]})
HOW = {"age": sf.Numeric(), "place": TREE}


def register(rows: int = 400, seed: int = 2) -> pa.Table:
    random = np.random.default_rng(seed)
    return pa.table({"age": random.integers(20, 60, rows), "place": random.choice(list("abcd"), rows)})


POPULATION = register()
SAMPLE = POPULATION.take(pa.array(np.random.default_rng(3).permutation(400)[:120]))


def fits(cell: str, value: object) -> bool:
    """Read a cell the slow way."""
    if cell == "*":
        return True
    if cell.startswith("["):
        low, high = cell[1:-1].split(", ")
        return float(low) <= float(value) <= float(high)
    return str(value) == cell or cell in next((row for row in TREE.rows if row[0] == value), ())


def brute_force(release: pa.Table) -> list[tuple[int, int]]:
    """Return for every class how many rows it has and how many people of the population fit it."""
    rows = [tuple(row.values()) for row in release.select(["age", "place"]).to_pylist()]
    people = [tuple(row.values()) for row in POPULATION.to_pylist()]
    return [
        (
            rows.count(one),
            sum(all(fits(str(cell), value) for cell, value in zip(one, person, strict=True)) for person in people),
        )
        for one in sorted(set(rows), key=str)
    ]


@pytest.mark.parametrize("method", ["mondrian", "lattice", "hilbert"])
def test_k_map_counts_the_population_and_needs_less_than_k_anonymity(method):
    how = HOW | {"age": sf.Numeric(widths=(5, 10, 20))} if method == "lattice" else HOW
    mapped = sf.anonymize(SAMPLE, quasi_identifiers=how, privacy=sf.KMap(6, population=POPULATION), method=method)
    assert min(fitting for _, fitting in brute_force(mapped.table)) >= 6
    assert mapped.verify().ok
    anonymous = sf.anonymize(SAMPLE, quasi_identifiers=how, k=6, method=method)
    assert mapped.loss.gcp <= anonymous.loss.gcp + 1e-9


@pytest.mark.parametrize("method", ["mondrian", "lattice"])
def test_presence_stays_between_its_bounds(method):
    how = HOW | {"age": sf.Numeric(widths=(5, 10, 20))} if method == "lattice" else HOW
    model = sf.DeltaPresence(0.1, 0.5, population=POPULATION)
    release = sf.anonymize(SAMPLE, quasi_identifiers=how, privacy=model, method=method)
    for rows, fitting in brute_force(release.table):
        assert 0.1 - 1e-9 <= rows / fitting <= 0.5 + 1e-9
    assert release.verify().ok
    with pytest.raises(InfeasibleError, match="No k is large enough"):
        sf.anonymize(
            SAMPLE, quasi_identifiers=HOW, privacy=sf.DeltaPresence(0.9, 1, population=POPULATION), method="mondrian"
        )


CELLS = st.tuples(
    st.sampled_from(["[20, 29]", "[30, 59]", "[25, 44]", "41", "*"]), st.sampled_from(["north", "south", "a", "*"])
)


@settings(max_examples=examples(40))
@given(st.lists(CELLS, min_size=1, max_size=12), st.integers(1, 60))
def test_readable_and_verifying_form_agree_with_brute_force(cells, k):
    release = pa.table({"age": [age for age, _ in cells], "place": [place for _, place in cells]})
    expected = brute_force(release)
    different = sorted(set(cells), key=str)
    shown = pa.table({"age": [age for age, _ in different], "place": [place for _, place in different]})
    whole = WholeRelease(np.array([rows for rows, _ in expected]), shown, HOW)
    assert whole.matching(POPULATION).tolist() == [fitting for _, fitting in expected]
    enough = all(fitting >= k for _, fitting in expected)
    assert sf.KMap(k, population=POPULATION).kept_by(whole) == enough
    promise = {"model": "k-map", "k": k, "population": POPULATION, "taxonomies": {"place": TREE.rows}}
    assert verify_release(release, ["age", "place"], requirements=[promise]).ok == enough
    share = k / 100
    present = all(rows <= share * fitting for rows, fitting in expected)
    assert sf.DeltaPresence(0, share, population=POPULATION).kept_by(whole) == present
    promise = {"model": "delta-presence", "low": 0, "high": share} | {
        key: promise[key] for key in ("population", "taxonomies")
    }
    assert verify_release(release, ["age", "place"], requirements=[promise]).ok == present


@settings(max_examples=examples(60))
@given(st.lists(st.integers(0, 6), min_size=1, max_size=20), st.sampled_from([0.05, 0.2, 0.5, 1]))
def test_ceilings_are_those_of_slow_counting(looks, limit):
    sizes = [looks.count(one) for one in sorted(set(looks))]
    whole = WholeRelease(np.array(sizes), pa.table({"q": sorted(set(looks))}), {"q": None})
    mean = sum(1 / looks.count(one) for one in looks) / len(looks)
    alone = sum(looks.count(one) == 1 for one in looks) / len(looks)
    table = pa.table({"q": looks})
    for model, found in ((sf.AverageRisk(limit), mean), (sf.UniqueShare(limit), alone)):
        assert model.kept_by(whole) == (found <= limit + 1e-9)
        assert verify_release(table, ["q"], requirements=[model.to_policy()]).ok == (found <= limit + 1e-9)


@pytest.mark.parametrize("method", ["mondrian", "lattice"])
def test_the_mean_risk_is_met_by_the_least_k(method):
    release = sf.anonymize(SAMPLE, quasi_identifiers=HOW, privacy=sf.AverageRisk(0.1), method=method)
    assert release.risk.after.prosecutor.mean <= 0.1 + 1e-9
    if method == "mondrian":
        assert release.achieved.k < 10  # k=10 would have met it, and lost more
    assert release.verify().ok


def test_unique_people_are_allowed_up_to_a_share():
    release = sf.anonymize(SAMPLE, quasi_identifiers=HOW, privacy=sf.UniqueShare(0.05), method="mondrian")
    assert release.risk.after.prosecutor.unique_share <= 0.05


def test_with_several_rows_per_person_people_are_counted():
    twice = pa.concat_tables([SAMPLE, SAMPLE]).append_column("who", pa.array(list(range(120)) * 2))
    release = sf.anonymize(twice, quasi_identifiers=HOW, person="who", privacy=sf.AverageRisk(0.2), method="mondrian")
    assert release.risk.after.prosecutor.mean <= 0.2 + 1e-9


def test_a_population_is_a_file_in_policies(tmp_path: Path):
    import pyarrow.csv as csv  # noqa: PLC0415

    csv.write_csv(POPULATION, tmp_path / "register.csv")
    policy = sf.Policy(sf.Schema(HOW), [sf.KMap(4, population=str(tmp_path / "register.csv"))], sf.Mondrian())
    policy.write(tmp_path / "policy.toml")
    again = sf.Policy.read(tmp_path / "policy.toml")
    assert again.to_dict() == policy.to_dict()
    release = again.run(SAMPLE)
    assert release.manifest["privacy"][0]["k"] == 4
    assert again.check(release.table).ok
    assert "60" not in str(release.manifest["privacy"])


def test_what_is_wrong_is_said():
    with pytest.raises(ParameterError, match="limit"):
        sf.AverageRisk(0)
    with pytest.raises(ParameterError, match="low"):
        sf.DeltaPresence(0.5, 0.1, population=POPULATION)
    with pytest.raises(ParameterError, match="intervals"):
        sf.anonymize(SAMPLE, quasi_identifiers=HOW, privacy=sf.KMap(2, population=POPULATION), intervals="bounds")
    with pytest.raises(SchemaError, match="'place'"):
        sf.anonymize(
            SAMPLE, quasi_identifiers=HOW, privacy=sf.KMap(2, population=POPULATION.select(["age"])), method="mondrian"
        )


@settings(max_examples=examples(40))
@given(st.lists(CELLS, min_size=1, max_size=12), st.sampled_from([0.005, 0.02, 0.1, 0.5]))
def test_risk_against_a_population_agrees_with_brute_force(cells, limit):
    release = pa.table({"age": [age for age, _ in cells], "place": [place for _, place in cells]})
    expected = brute_force(release)
    different = sorted(set(cells), key=str)
    shown = pa.table({"age": [age for age, _ in different], "place": [place for _, place in different]})
    whole = WholeRelease(np.array([rows for rows, _ in expected]), shown, HOW)
    mean = sum(rows / max(rows, fitting) for rows, fitting in expected) / len(cells)
    alone = sum(max(rows, fitting) == 1 for rows, fitting in expected) / len(cells)
    about = {"population": POPULATION, "taxonomies": {"place": TREE.rows}}
    for model, found in (
        (sf.MarketerRisk(limit, population=POPULATION), mean),
        (sf.PopulationUniques(limit, population=POPULATION), alone),
    ):
        assert model.kept_by(whole) == (found <= limit + 1e-9)
        promise = model.to_policy() | about
        assert verify_release(release, ["age", "place"], requirements=[promise]).ok == (found <= limit + 1e-9)


@settings(max_examples=examples(30))
@given(st.lists(st.integers(1, 9), min_size=1, max_size=60), st.sampled_from([0.01, 0.1, 0.3, 0.7]))
def test_the_verifier_expects_as_many_uniques_as_the_estimators(sizes, fraction):
    people = sum(sizes)
    assert expected_uniques(np.array(sizes), people / fraction) == pytest.approx(
        estimate(np.array(sizes), people / fraction).expected, rel=ESTIMATED / 2, abs=1e-6
    )


@pytest.mark.parametrize("method", ["mondrian", "lattice"])
@pytest.mark.parametrize("population", [POPULATION, 400, 0.3])
def test_a_ceiling_on_population_uniques_is_met_by_the_least_k(method, population):
    model = sf.PopulationUniques(0.01, population=population)
    release = sf.anonymize(SAMPLE, quasi_identifiers=HOW, privacy=model, method=method)
    assert release.verify().ok
    assert release.risk.before.prosecutor.unique_share > 0.2
    if method == "mondrian":
        assert release.achieved.k <= 2  # k=2 would have met it
    again = sf.Policy.from_dict(sf.Policy(sf.Schema(HOW), [model]).to_dict()) if isinstance(population, float) else None
    assert again is None or again.privacy == (model,)


def test_the_marketers_risk_needs_less_than_the_mean_risk():
    against = sf.MarketerRisk(0.05, population=POPULATION)
    known = sf.anonymize(SAMPLE, quasi_identifiers=HOW, privacy=against, method="mondrian")
    alone = sf.anonymize(SAMPLE, quasi_identifiers=HOW, privacy=sf.AverageRisk(0.05), method="mondrian")
    assert known.loss.gcp <= alone.loss.gcp + 1e-9
    with pytest.raises(ParameterError, match="'population'"):
        sf.PopulationUniques(0.1, population=-3)


@pytest.mark.parametrize("method", ["mondrian", "hilbert"])
def test_people_of_a_population_are_counted_along_an_order_of_its_own(method):
    order = ["low", "mid, rather low", "mid", "high", "90+"]
    register = pa.table({"grade": [order[at % 5] for at in range(40)]})
    drawn = pa.table({"grade": [order[at] for at in (0, 0, 1, 2, 3, 4, 4)]})
    how = {"grade": sf.Ordered(order)}
    release = sf.anonymize(drawn, quasi_identifiers=how, privacy=sf.KMap(12, population=register), method=method)
    assert release.verify().ok
    shown = {f"[{low}, {high}]": (low, high) for low in order for high in order} | {one: (one, one) for one in order}
    for cell in set(release.table["grade"].to_pylist()):
        low, high = map(order.index, shown[cell])
        assert sum(low <= order.index(one) <= high for one in register["grade"].to_pylist()) >= 12
