"""The refinement attack: every constraint is sound, and no more is claimed than follows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement, product

import numpy as np
import pyarrow as pa
import pytest
from tests.examples import examples

import sfumato as sf
from sfumato.assess.attacks import refinement
from sfumato.assess.attacks.greedy_order import FULL_DOMAIN, GREEDY, PEELING, ShownLevels, order_constraints
from sfumato.assess.attacks.hidden_counts import HiddenCounts
from sfumato.assess.attacks.refinement import Behind
from sfumato.assess.attacks.scenario import Scenario
from sfumato.hierarchies.reading import read_release

pytest.importorskip("highspy")

#: Two columns; each value with its labels from fine to coarse.
TOWN = {"Siena": ["South", "*"], "Pienza": ["South", "*"], "Massa": ["North", "*"], "Lucca": ["North", "*"]}
SEX = {"f": ["*"], "m": ["*"]}
TREES = {"town": TOWN, "sex": SEX}
HIERARCHIES = {name: sf.Taxonomy([[value, *up] for value, up in tree.items()]) for name, tree in TREES.items()}
NODES = sorted(product(range(3), range(2)), key=lambda node: (node[0] / 2 + node[1], node))

Row = tuple[str, ...]


def label(name: str, value: str, level: int) -> str:
    return [value, *TREES[name][value]][level]


def greedily(rows: list[Row], k: int, nodes: Sequence[tuple[int, ...]] = NODES) -> list[Row]:
    """Show every row at the finest levels at which at least k waiting rows look alike; the rest show nothing."""
    shown: list[Row] = [("*", "*")] * len(rows)
    waiting = list(range(len(rows)))
    for node in nodes:
        looks = {at: tuple(map(label, TREES, rows[at], node)) for at in waiting}
        frequent = Counter(looks.values())
        for at in waiting:
            if frequent[looks[at]] >= k:
                shown[at] = looks[at]
        waiting = [at for at in waiting if frequent[looks[at]] < k]
    return shown


def suppressed(rows: list[Row], k: int, node: tuple[int, int] = (1, 0)) -> list[Row]:
    """Show all rows at one node; those that fewer than k look like show nothing."""
    looks = [tuple(map(label, TREES, row, node)) for row in rows]
    frequent = Counter(looks)
    return [one if frequent[one] >= k else ("*", "*") for one in looks]


def scene(rows: list[Row], shown: list[Row], k: int, order: str = GREEDY, **more) -> Scenario:
    original, release = (
        pa.table(dict(zip(TREES, map(list, zip(*some, strict=True)), strict=True))) for some in (rows, shown)
    )
    return Scenario(
        original,
        release,
        HIERARCHIES,
        knows=tuple(TREES),
        targets=np.arange(len(rows)),
        promised={"k": k},
        row_of=np.arange(len(rows)),
        order=order,
        random=np.random.default_rng(0),
        **more,
    )


def true_counts(behind: Behind) -> np.ndarray:
    """Count the rows behind every variable."""
    program, scenario = behind.program, behind.scenario
    codes = np.stack([one.column.original for one in behind.levels.columns], axis=1)
    node = behind.node
    counts = np.zeros(len(program))
    for at, one in enumerate(program.classes):
        members = codes[scenario.class_of == one.number]
        for place in range(int(program.begins[at]), int(program.begins[at + 1])):
            same = np.ones(len(members), bool)
            for column, levels in enumerate(behind.levels.columns):
                groups = levels.groups[0 if node is None else int(node[column])]
                same &= groups[members[:, column]] == groups[program.codes[place, column]]
            counts[place] = same.sum()
    return counts


def random_rows(random: np.random.Generator, count: int) -> list[Row]:
    shares = random.dirichlet(np.ones(len(TOWN)) * 0.7)
    towns = random.choice(list(TOWN), count, p=shares)
    sexes = random.choice(list(SEX), count, p=[0.7, 0.3])
    return list(zip(towns.tolist(), sexes.tolist(), strict=True))


@pytest.mark.parametrize(("make", "order"), [(greedily, GREEDY), (suppressed, FULL_DOMAIN)])
def test_the_truth_is_always_feasible(make, order):
    tried = 0
    for seed in range(examples(150)):
        random = np.random.default_rng(seed)
        rows, k = random_rows(random, int(random.integers(4, 40))), int(random.integers(2, 6))
        behind = Behind.of(scene(rows, make(rows, k), k, order))
        if behind is None:
            continue
        tried += 1
        assert behind.program.feasible
        assert behind.program.broken_by(true_counts(behind)) == 0
        asked = behind.ask()
        assert len(asked.values) == len(behind.program.classes), "a small program is asked about every class"
        assert (np.stack(asked) >= 0).all()
        assert (np.stack(asked) <= 1).all()
    assert tried > 20


def consistent(true: list[Row], k: int, make=greedily) -> Iterator[list[Row]]:
    """Enumerate all originals with the same values that the method turns into the same release, by replaying it."""
    wanted = Counter(make(true, k))
    everything = list(product(*(sorted(set(values)) for values in zip(*true, strict=True))))
    for rows in combinations_with_replacement(everything, len(true)):
        if Counter(make(list(rows), k)) == wanted:
            yield list(rows)


def counts_behind(rows: list[Row], shown: list[Row], cell: Row) -> Counter[str]:
    """Count the towns of the rows that are shown as a cell."""
    return Counter(town for (town, _), look in zip(rows, shown, strict=True) if look == cell)


def test_no_count_of_any_original_that_gives_the_release_is_ruled_out():
    checked = exact = 0
    for seed in range(examples(60)):
        random = np.random.default_rng(seed)
        rows, k = random_rows(random, 6), int(random.integers(2, 4))
        shown = greedily(rows, k)
        behind = Behind.of(scene(rows, shown, k))
        if behind is None or behind.node is not None:
            continue
        originals = list(consistent(rows, k))
        assert originals, "the true table is one of them"
        reading = behind.scenario.reading
        for at, one in enumerate(behind.program.classes):
            cell = shown[int(reading.classes.first_rows[one.number])]
            for code in np.unique(one.combinations[:, 0]).tolist():
                town = behind.levels.columns[0].column.domain.values[code].as_py()
                possible = [counts_behind(each, greedily(each, k), cell)[town] for each in originals]
                low, high = behind.program.bounds(behind.program.behind(at, 0, code))
                assert low <= min(possible) <= max(possible) <= high
                checked += 1
                exact += (low, high) == (min(possible), max(possible))
    assert checked > 10
    assert exact > checked / 3


def test_no_count_of_suppressed_rows_is_ruled_out_that_any_original_has():
    checked = 0
    for seed in range(examples(30)):
        random = np.random.default_rng(seed)
        rows, k = random_rows(random, 6), int(random.integers(2, 4))
        shown = suppressed(rows, k)
        behind = Behind.of(scene(rows, shown, k))
        if behind is None or behind.node is None:
            continue
        for at, one in enumerate(behind.program.classes):
            for code in np.unique(one.combinations[:, 1]).tolist():
                sex = behind.levels.columns[1].column.domain.values[code].as_py()
                low, high = behind.program.bounds(behind.program.behind(at, 1, code))
                for each in consistent(rows, k, suppressed):
                    gone = [row for row, look in zip(each, suppressed(each, k), strict=True) if look == ("*", "*")]
                    assert low <= sum(own == sex for _, own in gone) <= high
                    checked += 1
    assert checked > 10


def test_a_release_made_to_be_weak_gives_everything_away():
    # Two of each town are too few alone, so four rows show "North": three of either would have been shown before.
    rows = [("Massa", "f")] * 2 + [("Lucca", "f")] * 2
    behind = Behind.of(scene(rows, [("North", "f")] * 4, 3))
    assert behind is not None
    assert behind.order_holds
    assert behind.ask().certain.tolist() == [1.0]
    # Rows that show "North" by levels that were fixed before say nothing of the kind.
    silent = Behind.of(scene(rows, [("North", "f")] * 4, 3, order=""))
    assert silent is None or not silent.order_holds


def test_classes_are_asked_about_in_random_order_until_the_work_is_done(monkeypatch):
    rows = random_rows(np.random.default_rng(4), 40)
    behind = Behind.of(scene(rows, greedily(rows, 5), 5))
    assert behind is not None
    assert len(behind.program.classes) > 1
    whole = behind.ask()
    assert behind.program.work > 0
    monkeypatch.setattr(refinement, "LEAST_CLASSES", 1)
    monkeypatch.setattr(refinement, "MOST_WORK", 0)
    again = Behind.of(scene(rows, greedily(rows, 5), 5))
    assert again is not None
    assert again.ask().values.tolist() == whole.values[:1].tolist()


def test_a_method_that_knows_only_values_and_stars_is_attacked_by_these():
    """Cell suppression never shows a region: that none holds k waiting rows is not so, and is not concluded."""
    values_and_stars = [node for node in NODES if node[0] != 1]
    held = 0
    for seed in range(examples(60)):
        random = np.random.default_rng(seed)
        rows, k = random_rows(random, int(random.integers(10, 40))), int(random.integers(2, 6))
        behind = Behind.of(scene(rows, greedily(rows, k, values_and_stars), k))
        if behind is None or behind.node is not None:
            continue
        held += behind.order_holds
        assert behind.program.broken_by(true_counts(behind)) == 0
    assert held > 5
    rows = [("Massa", "f")] * 2 + [("Lucca", "f")] * 2 + [("Siena", "f")] * 3
    behind = Behind.of(scene(rows, [("*", "f")] * 4 + [("Siena", "f")] * 3, 3))
    assert behind is not None
    assert behind.order_holds
    assert behind.ask().values.mean() > 0.4


def test_rows_shown_finer_cannot_be_behind_a_coarser_class():
    rows = [("Siena", "f")] * 3 + [("Pienza", "f")] * 2 + [("Siena", "m")] + [("Lucca", "m"), ("Massa", "f")] * 2
    shown = greedily(rows, 3)
    assert shown[:3] == [("Siena", "f")] * 3
    scenario = scene(rows, shown, 3)
    behind = Behind.of(scenario)
    assert behind is not None
    siena, woman = (one.column.original[0] for one in behind.levels.columns)
    for at, one in enumerate(behind.program.classes):
        same = np.flatnonzero((one.combinations == (siena, woman)).all(axis=1))
        if len(same):
            assert behind.program.bounds(int(behind.program.begins[at]) + same) == (0, 0)
    assert any((one.combinations == (siena, woman)).all(axis=1).any() for one in behind.program.classes)


def test_a_release_that_contradicts_the_order_is_not_believed_to_follow_it():
    # Three equal rows at k = 3 would have been shown as they are, together with the others of their town.
    rows = [("Siena", "f")] * 3 + [("Pienza", "f")] * 3 + [("Massa", "m")] * 3
    shown = [("Siena", "f")] * 3 + [("South", "f")] * 3 + [("Massa", "m")] * 3
    release = scene(rows, shown, 2)
    behind = Behind.of(release)
    assert behind is not None
    assert not behind.order_holds


def peeled(rows: int, seed: int, k: int) -> tuple[pa.Table, sf.Schema, sf.Release]:
    random = np.random.default_rng(seed)
    table = pa.table(
        {
            "town": random.choice(list(TOWN), rows, p=[0.5, 0.1, 0.3, 0.1]),
            "sex": random.choice(list(SEX), rows),
            "region": random.choice(["a", "b", "c"], rows, p=[0.6, 0.3, 0.1]),
            "ill": random.choice(["flu", "gout", "ulcer"], rows),
        }
    )
    schema = sf.Schema({**HIERARCHIES, "region": None}, sensitive="ill")
    return table, schema, sf.anonymize(table, schema, k=k, method="peeling", seed=seed)


def test_the_truth_is_feasible_behind_peeling_unless_rows_were_left_at_its_end():
    held = 0
    for seed in range(examples(20)):
        table, _, release = peeled(60, seed, 4)
        reading = read_release(table, release.table, release.hierarchies)
        scenario = Scenario(
            table,
            release.table,
            release.hierarchies,
            promised={"k": 4},
            row_of=release.row_of,
            order=PEELING,
            tight=True,
            random=np.random.default_rng(seed),
        )
        behind = Behind.of(scenario)
        if behind is None or len(reading.classes) < 2 or joined(release, reading):
            continue
        held += 1
        assert behind.order_holds
        assert behind.program.broken_by(true_counts(behind)) == 0
    assert held >= 1


def joined(release: sf.Release, reading) -> bool:
    """Whether rows that were left at the end joined other classes: then no class is as wide as the table."""
    levels = ShownLevels(reading)
    return not levels.silent.any()


def test_the_attack_is_skipped_without_a_promise_and_says_what_it_needs():
    table, schema, _ = peeled(60, 1, 4)
    same = sf.attack(table, table, quasi_identifiers=schema.quasi_identifiers, sensitive="ill", attacks="refinement")
    assert "pip install highspy" in same.skipped["refinement"]


def test_a_file_of_anybody_is_read_by_the_levels_that_it_shows(tmp_path):
    rows = [("Massa", "f")] * 2 + [("Lucca", "f")] * 2 + [("Siena", "m")] * 3
    table = pa.table(dict(zip(TREES, map(list, zip(*rows, strict=True)), strict=True)))
    path = tmp_path / "arx.csv"
    path.write_text("town;sex\n" + "\n".join(["North;f"] * 4 + ["Siena;m"] * 3) + "\n", encoding="utf-8")
    report = sf.attack(table, path, quasi_identifiers=HIERARCHIES, k=3, attacks="refinement", seed=1)
    certain = next(one for one in report if one.variant == "hidden values")
    assert certain.rate == 1.0
    fixed = sf.attack(table, path, quasi_identifiers=HIERARCHIES, k=3, l=2, attacks="refinement", seed=1)
    assert all(one.rate < 1 for one in fixed)


def test_constraints_that_cannot_bind_are_left_out():
    rows = [("Massa", "f"), ("Lucca", "f")]
    behind = Behind.of(scene(rows, [("North", "f")] * 2, 5))
    assert behind is not None
    program = HiddenCounts(behind.program.classes)
    visited = behind.levels.visited_before(behind.levels.nodes)
    assert list(order_constraints(program, behind.levels, 5, visited, takes_all=True)) == []


def test_sensitive_values_become_certain_where_the_order_rules_a_coarser_class_out():
    rows = [("Siena", "f")] * 3 + [("Pienza", "f")] * 2 + [("Siena", "m")] * 2
    shown = greedily(rows, 3)
    assert shown[3:] == [("South", "*")] * 4
    names = dict(zip(TREES, map(list, zip(*rows, strict=True)), strict=True))
    original = pa.table({**names, "ill": ["flu"] * 3 + ["gout", "ulcer"] * 2})
    cells = dict(zip(TREES, map(list, zip(*shown, strict=True)), strict=True))
    release = pa.table({**cells, "ill": original["ill"]})
    told = {"quasi_identifiers": HIERARCHIES, "sensitive": "ill", "attacks": "refinement", "seed": 1}
    # By their cells, the three women of Siena may be behind "South" too; but then they would have been shown finer.
    found = {one.variant: one for one in sf.attack(original, release, k=3, **told).outcomes}["people's ill"]
    assert found.baseline == 0.0
    assert found.rate == pytest.approx(3 / 7)
    # Diversity holds rows back for other reasons: nothing follows.
    diverse = {one.variant: one for one in sf.attack(original, release, k=3, l=1, **told).outcomes}["people's ill"]
    assert diverse.rate == 0.0


def test_without_a_solver_the_attack_is_named_as_not_tried(monkeypatch):
    monkeypatch.setattr("sfumato.assess.attacks.refinement.solver_is_installed", lambda: False)
    table, _, release = peeled(60, 1, 4)
    assert "pip install highspy" in sf.attack(table, release, attacks="refinement").skipped["refinement"]


def test_nobody_can_rely_on_an_order_that_passes_over_rows_at_random():
    people = sf.datasets.census(rows=600, seed=1)
    broken = []
    for asleep in (0.0, 0.3):
        release = sf.anonymize(people.table, people.schema, k=5, method=sf.Peeling(asleep=asleep), seed=1)
        scenario = Scenario(
            people.table,
            release.table,
            release.hierarchies,
            promised={"k": 5},
            row_of=release.row_of,
            order=PEELING,
            tight=True,
            random=np.random.default_rng(1),
        )
        behind = Behind.of(scenario)
        broken.append(not behind.order_holds or behind.program.broken_by(true_counts(behind)) > 0)
    assert broken == [False, True]
