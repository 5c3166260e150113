"""Every attack works on a release made to be weak, and fails where theory says that it must."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

import sfumato as sf
from sfumato.assess.attacks import ATTACKS
from sfumato.assess.attacks.base import wilson
from sfumato.assess.attacks.definetti import DeFinetti, ValuesOfClasses
from sfumato.assess.attacks.minimality import shares_given_broken
from sfumato.assess.attacks.scenario import AttackedColumn, Scenario
from sfumato.assess.attacks.side_channels import occurring
from sfumato.errors import DataError, ParameterError, SchemaError

PEOPLE = 300
KNOWN = ["age", "pay", "town"]
SECRET_ATTACKS = ("inference", "homogeneity")


def people(rows: int = PEOPLE, seed: int = 3) -> pa.Table:
    random = np.random.default_rng(seed)
    return pa.table(
        {
            "age": random.integers(18, 90, rows),
            "pay": random.integers(1_000, 9_000, rows),
            "town": random.choice(["Siena", "Lucca", "Pisa"], rows),
            "ill": random.choice(["flu", "ulcer", "asthma", "gout"], rows, p=[0.4, 0.3, 0.2, 0.1]),
        }
    )


ALL = people()


def groups(table: pa.Table, size: int) -> np.ndarray:
    """Put people next to each other in age into classes of a size."""
    order = np.lexsort((table["pay"].to_numpy(), table["age"].to_numpy()))
    of_row = np.empty(len(order), int)
    of_row[order] = np.minimum(np.arange(len(order)) // size, len(order) // size - 1)
    return of_row


def shown(table: pa.Table, of_row: np.ndarray, end=lambda low, high: (low, high)) -> pa.Table:
    """Show every class by what its members span; numbers as intervals, categories as themselves or ``*``."""
    columns = {}
    for name in table.column_names:
        values = np.array(table[name].to_pylist())
        if name == "ill":
            columns[name] = values
            continue
        cells = {}
        for number in np.unique(of_row):
            here = values[of_row == number]
            low, high = min(here.tolist()), max(here.tolist())
            if values.dtype.kind == "U":
                cells[number] = low if low == high else "*"
            else:
                low, high = end(low, high)
                cells[number] = f"[{low}, {high}]"
        columns[name] = [cells[number] for number in of_row]
    return pa.table(columns)


def shuffled(table: pa.Table) -> pa.Table:
    return table.take(pa.array(np.random.default_rng(1).permutation(table.num_rows)))


def attacked(release: object, name: str, original: pa.Table = ALL, **more):
    told = {"quasi_identifiers": KNOWN, "sensitive": "ill", "seed": 5} | more
    return sf.attack(original, release, attacks=name, **told)[name]


WEAK = shuffled(ALL)
STRONG = shuffled(shown(ALL, groups(ALL, 10)))
SILENT = pa.table({"age": ["*"] * PEOPLE, "pay": ["*"] * PEOPLE, "town": ["*"] * PEOPLE, "ill": WEAK["ill"]})


@pytest.mark.parametrize("name", ["linkage", "linkage, partial", "linkage, noisy"])
def test_linkage_finds_people_who_are_unique_and_nobody_among_k(name):
    weak, strong = attacked(WEAK, name), attacked(STRONG, name, k=10)
    assert weak.better_than_guessing
    assert strong.rate <= 1 / 10
    assert not strong.breaks_promise
    assert not attacked(SILENT, name).better_than_guessing


def test_exact_linkage_is_certain_where_everybody_is_unique():
    assert attacked(WEAK, "linkage").rate == 1.0
    assert attacked(WEAK, "linkage", k=2).verdict == "BREAKS the promise of 0.5"


def test_knowing_fewer_columns_finds_fewer_people():
    assert attacked(WEAK, "linkage", knows="town").rate < 0.05


def test_singling_out_needs_a_class_of_one():
    assert attacked(WEAK, "singling out").rate == 1.0
    strong = attacked(STRONG, "singling out", k=10)
    assert (strong.rate, strong.breaks_promise) == (0.0, False)


def test_linkability_joins_halves_by_exact_rows_and_by_nothing_that_tells_nothing():
    assert attacked(WEAK, "linkability").rate > 0.8
    assert not attacked(SILENT, "linkability").better_than_guessing


def test_linkability_is_compared_with_people_who_are_not_there():
    strangers = people(200, seed=8)
    found = attacked(STRONG, "linkability", control=strangers)
    assert found.baseline != 0.1
    assert not attacked(SILENT, "linkability", control=strangers).better_than_guessing


def test_inference_reads_off_what_a_class_agrees_on():
    by_age = ALL.set_column(3, "ill", pa.array(np.where(ALL["age"].to_numpy() < 50, "flu", "ulcer")))
    weak = shuffled(shown(by_age, groups(by_age, 10)))
    found = attacked(weak, "inference", by_age)
    assert found.rate > 0.9 > found.baseline
    assert not attacked(SILENT, "inference").better_than_guessing
    assert attacked(weak, "homogeneity", by_age).rate > 0.9
    assert attacked(weak, "homogeneity", by_age, l=2).breaks_promise


def diverse() -> tuple[pa.Table, np.ndarray]:
    """Return people in classes of four, each with the same four illnesses."""
    table = people(200, seed=4)
    of_row = groups(table, 4)
    ill = np.empty(200, dtype="U6")
    for number in np.unique(of_row):
        ill[of_row == number] = np.random.default_rng(number).permutation(["flu", "ulcer", "asthma", "gout"])
    return table.set_column(3, "ill", pa.array(ill)), of_row


def test_diversity_leaves_no_class_that_agrees_and_keeps_inference_within_its_promise():
    table, of_row = diverse()
    release = shuffled(shown(table, of_row))
    assert attacked(release, "homogeneity", table, l=4).rate == 0.0
    found = attacked(release, "inference", table, l=4)
    assert found.rate == pytest.approx(0.25)
    assert not found.breaks_promise


def test_values_are_ruled_out_one_by_one_until_two_are_left():
    table, of_row = diverse()
    report = sf.attack(
        table, shown(table, of_row), quasi_identifiers=KNOWN, sensitive="ill", attacks="background knowledge", seed=1
    )
    assert [one.rate for one in sorted(report, key=lambda one: one.variant)] == pytest.approx([1 / 3, 1 / 2])
    for one in sf.attack(ALL, SILENT, quasi_identifiers=KNOWN, sensitive="ill", attacks="background knowledge"):
        assert not one.better_than_guessing


def test_classes_together_teach_what_one_class_hides():
    random = np.random.default_rng(2)
    town = random.choice(["Siena", "Lucca"], 600)
    taught = np.where(random.random(600) < 0.9, np.where(town == "Siena", "flu", "ulcer"), "gout")
    table = pa.table(
        {"age": random.integers(18, 90, 600), "pay": random.integers(1, 9, 600), "town": town, "ill": taught}
    )
    release = shuffled(shown(table, groups(table, 6)))
    found = attacked(release, "deFinetti", table, targets=600)
    assert found.better_than_guessing
    assert found.rate > found.baseline + 0.1
    unrelated = table.set_column(3, "ill", pa.array(random.permutation(taught)))
    independent = attacked(shuffled(shown(unrelated, groups(unrelated, 6))), "deFinetti", unrelated, targets=600)
    assert not independent.better_than_guessing


def kept_whole(cases: int, honest: bool) -> tuple[pa.Table, pa.Table]:
    """Return classes of two young and four old people, of whom two are ill.

    An honest publisher makes them whatever they have; one who cuts wherever l=2 allows it has cut all but those in
    which both young people are ill.
    """
    random = np.random.default_rng(9)
    ages, ill, of_row = [], [], []
    for number in range(cases):
        ages += [30, 30, 60, 60, 60, 60]
        sick = random.permutation(6)[:2] if honest else [0, 1]
        ill += ["flu" if at in sick else f"other {at}" for at in range(6)]
        of_row += [number] * 6
    town = [f"town {number}" for number in of_row]
    table = pa.table({"age": ages, "pay": [1] * len(ages), "town": town, "ill": ill})
    return table, shown(table, np.array(of_row))


def test_a_class_that_was_left_whole_tells_why_only_if_it_was_left_whole_for_a_reason():
    table, release = kept_whole(40, honest=False)
    weak = attacked(release, "minimality", table, k=2, l=2)
    assert (weak.rate, weak.breaks_promise) == (1.0, True)
    assert weak.baseline == pytest.approx(1 / 3)
    table, release = kept_whole(60, honest=True)
    honest = attacked(release, "minimality", table, k=2, l=2)
    assert not honest.better_than_guessing


def test_shares_given_that_a_cut_breaks_the_rule_are_those_of_trying_all_ways():
    import itertools  # noqa: PLC0415

    for left, right, count, limit in [(2, 4, 2, 2), (3, 3, 2, 2), (2, 5, 3, 3), (4, 2, 1, 2)]:
        ways = [sum(at < left for at in chosen) for chosen in itertools.combinations(range(left + right), count)]
        broken = [here for here in ways if here * limit > left or (count - here) * limit > right]
        expected = np.mean(broken) if broken else count * left / (left + right)
        got = shares_given_broken(left, right, count, limit)
        assert got == pytest.approx((expected / left, (count - expected) / right))


def test_ends_of_intervals_are_somebody_unless_they_lie_on_a_grid():
    tight = attacked(STRONG, "cell ends")
    assert tight.rate > 0.9  # whose row is whose is guessed here, as only the table is known
    assert tight.better_than_guessing
    grid = shown(ALL, groups(ALL, 10), end=lambda low, high: (low - low % 50, high - high % 50 + 49))
    assert not attacked(shuffled(grid), "cell ends").better_than_guessing


def test_both_branches_below_a_label_occur_where_cells_have_no_slack():
    tree = sf.Taxonomy({"north": ["a", "b"], "south": ["c", "d"]})
    table = pa.table({"place": ["a", "b", "c", "d"] * 20, "ill": ["flu"] * 80})
    tight = pa.table({"place": ["north", "north", "south", "south"] * 20, "ill": ["flu"] * 80})
    found = attacked(tight, "cell ends", table, quasi_identifiers={"place": tree})
    assert found.rate == 1.0


def means(table: pa.Table, of_row: np.ndarray, middle: bool) -> pa.Table:
    columns = {"town": ["*"] * table.num_rows, "ill": table["ill"]}
    for name in ("age", "pay"):
        values = table[name].to_numpy().astype(float)
        each = {
            number: (values[of_row == number].min() + values[of_row == number].max()) / 2
            if middle
            else values[of_row == number].mean()
            for number in np.unique(of_row)
        }
        columns[name] = [each[number] for number in of_row]
    return pa.table(columns)


def test_a_mean_gives_the_last_member_away_and_a_midpoint_does_not():
    of_row = groups(ALL, 10)
    release = sf.anonymize(ALL, quasi_identifiers=["age"], sensitive="ill", rest="drop", k=5, intervals="mean")
    found = sf.attack(ALL, release, attacks="reconstruction", seed=1)["reconstruction"]
    assert found.rate == 1.0
    middle = sf.attack(
        ALL, means(ALL, of_row, middle=True), quasi_identifiers=KNOWN, sensitive="ill", attacks="reconstruction", seed=1
    )
    assert all(one.rate < 0.5 for one in middle)


def test_two_releases_of_the_same_people_give_away_more_than_one():
    rare = np.random.default_rng(6).integers(0, 40, PEOPLE).astype(str)
    table = ALL.set_column(3, "ill", pa.array(rare))
    by_age = shown(table, groups(table, 10))
    order = np.argsort(table["pay"].to_numpy())
    by_pay = np.empty(PEOPLE, int)
    by_pay[order] = np.arange(PEOPLE) // 10
    other = shuffled(shown(table, by_pay))
    found = attacked(by_age, "intersection", table, previous=[other], targets=PEOPLE)
    assert found.better_than_guessing
    assert found.rate > found.baseline + 0.2
    again = attacked(by_age, "intersection", table, previous=[shuffled(by_age)], targets=PEOPLE)
    assert not again.better_than_guessing


def test_exact_rows_give_membership_away_and_stars_do_not():
    assert attacked(WEAK, "membership").rate > 0.95
    assert attacked(WEAK, "membership", control=people(200, seed=8)).rate > 0.95
    silent = attacked(SILENT, "membership")
    assert (silent.rate, silent.better_than_guessing) == (0.5, False)


def test_an_unshuffled_release_gives_everybody_away():
    release = shown(ALL, groups(ALL, 10))
    assert attacked(release, "row order").rate == 1.0
    assert attacked(release, "row order").better_than_guessing
    assert not attacked(shuffled(release), "row order").better_than_guessing


def test_bytes_that_nobody_meant_to_publish_are_found(tmp_path: Path):
    named = ALL.append_column("name", pa.array([f"Person{number}x" for number in range(PEOPLE)]))
    clean, leaking = tmp_path / "clean.parquet", tmp_path / "leaking.parquet"
    pq.write_table(STRONG, clean, compression="none")
    pq.write_table(STRONG.replace_schema_metadata({"names": ",".join(named["name"].to_pylist())}), leaking)
    assert attacked(leaking, "file channels", named).rate > 0.9
    found = attacked(clean, "file channels", named)
    assert (found.rate, found.better_than_guessing) == (0.0, False)


def test_a_release_knows_what_it_promises_and_where_everybody_is():
    release = sf.anonymize(ALL, quasi_identifiers=KNOWN, sensitive="ill", k=5, l=2, method="mondrian")
    report = sf.attack(ALL, release, targets=200, seed=3)
    assert report["linkage"].limit == 1 / 5
    assert report["inference"].limit == 1 / 2
    assert report.ok
    assert report["linkage"].trials == 200
    alone = sf.attack(ALL, release.table, quasi_identifiers=KNOWN, sensitive="ill", k=5, l=2, targets=200, seed=3)
    # Without the publisher's own order the truth is found by comparing; Mondrian's classes do not overlap.
    assert alone["linkage"].rate == pytest.approx(report["linkage"].rate)
    assert "intersection" in report.skipped
    assert "not tried: intersection" in report.summary()


def test_the_report_is_ordered_worst_first_and_shows_no_value():
    report = sf.attack(ALL, WEAK, quasi_identifiers=KNOWN, sensitive="ill", k=2, seed=1)
    assert report.worst_first[0].breaks_promise
    gains = [one.gain for one in report.worst_first if one.better_than_guessing and not one.breaks_promise]
    assert gains == sorted(gains, reverse=True)
    assert not report
    text = report.summary() + json.dumps(report.to_dict())
    assert not any(value in text for value in ("Siena", "Lucca", "ulcer", "asthma"))


def test_what_is_wrong_with_a_request_is_said():
    with pytest.raises(SchemaError, match="Name the quasi-identifiers"):
        sf.attack(ALL, WEAK)
    with pytest.raises(ParameterError, match="'ill'"):
        sf.attack(ALL, WEAK, quasi_identifiers=KNOWN, knows="ill")
    with pytest.raises(ParameterError, match="attacks"):
        sf.attack(ALL, WEAK, quasi_identifiers=KNOWN, attacks="magic")
    with pytest.raises(SchemaError, match="no column 'ill'"):
        sf.attack(ALL, WEAK.drop_columns(["ill"]), quasi_identifiers=KNOWN, sensitive="ill")
    with pytest.raises(DataError, match="at least one row"):
        sf.attack(ALL, WEAK.slice(0, 0), quasi_identifiers=KNOWN)


@pytest.mark.parametrize(("rate", "trials"), [(0.0, 10), (0.3, 50), (1.0, 7)])
def test_the_interval_is_that_of_wilson(rate, trials):
    low, high = wilson(rate, trials)
    for end in (low, high):
        if 0 < end < 1:  # the ends are where the observed rate is 1.96 standard errors away
            assert abs(rate - end) == pytest.approx(1.96 * np.sqrt(end * (1 - end) / trials))
    assert low <= rate <= high


def test_people_are_shown_only_when_asked_for():
    report = sf.attack(ALL, WEAK, quasi_identifiers=KNOWN, sensitive="ill", attacks="linkage", show=3, seed=1)
    assert len(report.found) == 3
    for person in report.found:
        row = person["row"]
        assert [person[name] for name in KNOWN] == [ALL[name][row].as_py() for name in KNOWN]
    assert "found: row=" in report.summary()
    nobody = sf.attack(ALL, SILENT, quasi_identifiers=KNOWN, sensitive="ill", attacks="linkage", show=3, seed=1)
    assert nobody.found == ()


def test_the_page_lists_every_attack(repository: Path):
    page = (repository / "docs" / "how-to" / "attack.md").read_text(encoding="utf-8")
    assert all(f"\n| `{one.name}` |" in page for one in ATTACKS)


def test_the_summary_says_of_each_outcome_which_of_four_things_it_means():
    report = sf.attack(ALL, WEAK, quasi_identifiers=KNOWN, sensitive="ill", k=2, seed=1)
    groups = report.groups
    assert list(groups) == ["breaks a promise", "within the promise", "not promised", "no better than guessing"]
    assert sum(map(len, groups.values())) == len(report.outcomes)
    for one in report:
        broken = one.limit is not None and one.low > one.limit
        assert (one in groups["breaks a promise"]) == broken
        assert (one in groups["no better than guessing"]) == (not broken and one.low <= one.baseline + 1e-9)
    assert report.verdict.startswith("A promise does NOT hold")
    assert max(map(len, report.summary().splitlines())) <= 100


def test_a_good_release_is_not_called_good_beside_an_attack_that_works():
    report = sf.attack(ALL, STRONG, quasi_identifiers=KNOWN, sensitive="ill", k=10, attacks=["linkage", "cell ends"])
    assert report.verdict == "No promise is broken. One attack succeeds where nothing is promised."
    assert [one.attack for one in report.groups["not promised"]] == ["cell ends"]
    assert "is right for" in report["cell ends"].sentence
    assert report.verdict in report._repr_html_()


def test_every_attack_is_a_sentence_about_people():
    instead = {attack.name: attack.instead for attack in ATTACKS}
    report = sf.attack(ALL, STRONG, quasi_identifiers=KNOWN, sensitive="ill", k=10, l=2, seed=1)
    for one in report:
        assert one.sentence.startswith("Whoever ")
        assert f"; {instead[one.attack]}, " in one.sentence
        assert ("the release promises at most" in one.sentence) == (one.limit is not None)


def test_after_the_time_limit_the_rest_is_named_and_what_is_done_is_kept():
    shares = []

    def slowly(stage: str, share: float) -> None:
        shares.append((stage, share))
        if stage == "attacking: singling out":
            time.sleep(0.3)

    report = sf.attack(
        ALL, STRONG, quasi_identifiers=KNOWN, sensitive="ill", k=10, seed=1, time_limit=30, progress=slowly
    )
    assert report.ended is None
    assert [share for _, share in shares] == sorted(share for _, share in shares)
    cut = sf.attack(
        ALL, STRONG, quasi_identifiers=KNOWN, sensitive="ill", k=10, seed=1, time_limit=0.25, progress=slowly
    )
    assert cut.ended == "the time limit"
    assert "singling out" in cut.skipped
    assert cut.skipped["row order"] == "more time: the time limit ended the run"
    assert cut.verdict.startswith("No promise was broken by the attacks that were tried before the time limit ended")
    with pytest.raises(ParameterError, match="time_limit"):
        sf.attack(ALL, STRONG, quasi_identifiers=KNOWN, time_limit=0)


def test_an_interrupt_keeps_what_is_done():
    def press(stage: str, share: float) -> None:
        if stage == "attacking: singling out":
            os.kill(os.getpid(), signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    report = sf.attack(ALL, STRONG, quasi_identifiers=KNOWN, sensitive="ill", k=10, seed=1, progress=press)
    assert report.ended == "Ctrl-C"
    assert {one.attack for one in report} == {"linkage", "linkage, partial", "linkage, noisy"}
    assert signal.getsignal(signal.SIGINT) is before


def dense_definetti(scene: Scenario, secret: AttackedColumn, people: np.ndarray, rounds: int) -> np.ndarray:
    """Share values out with a number for every person and value: slow and obvious."""
    of_class = scene.class_of[people]
    sizes = np.bincount(of_class, minlength=len(secret.counts))
    columns = [np.unique(column.original[people], return_inverse=True)[1] for column in scene.reading.columns]
    shares = secret.counts[of_class] / np.maximum(sizes, 1)[of_class][:, None]
    start = np.log(shares, where=shares > 0, out=np.full(shares.shape, -np.inf))
    for _ in range(rounds):
        scores = start.copy()
        for codes in columns:
            seen = np.stack([np.bincount(codes, weights=part) for part in shares.T], axis=1) + 0.5
            scores += np.log(seen / seen.sum(axis=0))[codes]
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        for _ in range(10):
            sums = np.stack([np.bincount(of_class, weights=part, minlength=len(sizes)) for part in shares.T], axis=1)
            shares *= np.divide(secret.counts, sums, out=np.zeros(sums.shape), where=sums > 0)[of_class]
            shares /= np.maximum(shares.sum(axis=1, keepdims=True), 1e-300)
    return shares


@pytest.mark.parametrize("seed", range(4))
def test_definetti_in_classes_is_definetti_over_everything(seed, monkeypatch):
    table = people(160, seed=seed).set_column(1, "pay", pa.array(np.random.default_rng(seed).integers(0, 9, 160)))
    release = shown(table, groups(table, 7))
    scene = Scenario(table, release, dict.fromkeys(KNOWN), ("ill",), tuple(KNOWN), np.arange(160))
    present = np.flatnonzero(scene.class_of >= 0)
    secret = scene.secrets[0]
    monkeypatch.setattr("sfumato.assess.attacks.definetti.MOST_BINS", 1_000)
    attack = DeFinetti()
    shares = dense_definetti(scene, secret, present, attack.rounds)
    found = attack.likeliest(scene, ValuesOfClasses.of(scene, secret, present))[present]
    best = shares.max(axis=1)
    assert np.allclose(shares[np.arange(len(present)), found], best)
    counts = secret.counts[scene.class_of[present]]
    mode = counts == counts.max(axis=1, keepdims=True)
    expected = mode[np.arange(len(present)), secret.of_person[present]] / mode.sum(axis=1)
    classes = ValuesOfClasses.of(scene, secret, present)
    got = classes.chance_of_most_frequent(scene.class_of[present], secret.of_person[present])
    assert np.allclose(got, expected)


def test_a_sensitive_column_with_a_value_per_person_is_attacked_too():
    exact = ALL.set_column(3, "ill", pa.array([f"case {number}" for number in range(PEOPLE)]))
    release = shuffled(shown(exact, groups(exact, 10)))
    report = sf.attack(exact, release, quasi_identifiers=KNOWN, sensitive="ill", k=10, seed=1)
    assert report["inference"].rate <= 0.1
    assert report["homogeneity"].rate == 0


@settings(max_examples=examples(60), deadline=None)
@given(
    content=st.binary(max_size=80), texts=st.lists(st.binary(min_size=5, max_size=9), max_size=6), cut=st.integers(1, 9)
)
def test_texts_are_found_as_by_looking_for_each(content, texts, cut):
    texts = [*texts, *(content[at : at + 6] for at in range(0, max(0, len(content) - 6), 7))]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("sfumato.assess.attacks.side_channels.STRETCH", cut)
        assert occurring(texts, content).tolist() == [text in content for text in texts]


@pytest.mark.parametrize("kind", ["frequency", "entropy"])
def test_what_is_promised_of_one_sensitive_column_is_not_promised_of_another(kind: str) -> None:
    table = pa.table({"age": [1, 1, 2, 2] * 5, "illness": ["a", "b"] * 10, "pay": ["low", "low", "high", "high"] * 5})
    model = sf.LDiversity(2, kind=kind, column="illness")
    release = sf.anonymize(
        table, quasi_identifiers="age", sensitive=["illness", "pay"], privacy=[sf.KAnonymity(4), model], seed=1
    )
    report = sf.attack(table, release, seed=1)
    assert report.ok, report.summary()
    limits = {(one.attack, one.variant): one.limit for one in report.outcomes if one.attack in SECRET_ATTACKS}
    assert limits == {
        ("inference", "illness"): 0.5 if kind == "frequency" else None,
        ("inference", "pay"): None,
        ("homogeneity", "illness"): 0.0,
        ("homogeneity", "pay"): None,
    }
    assert report["homogeneity"].rate == 1.0
