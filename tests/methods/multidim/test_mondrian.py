"""Mondrian: the theorems of its paper, its worked examples, a slow twin, and what it reaches on Adult."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.methods.multidim.mondrian_twin import Rows, Twin, coded, partition, rule_for

import sfumato as sf
from sfumato.errors import ParameterError
from sfumato.methods import find_method
from sfumato.methods.multidim import mondrian
from sfumato.table.microdata import Microdata

TREE = sf.Taxonomy.from_dict(
    {"A": {"AA": [0, 1, 2], "AB": [3]}, "B": {"BA": [4, 5], "BB": [6, 7]}, "C": {"CA": [8, 9]}}
)
Points = list[tuple[int, ...]]


@st.composite
def point_sets(draw: st.DrawFn, least: int = 1, most: int = 70, attributes: int = 3) -> Points:
    """Points in a small space: many equal, many at the median."""
    d = draw(st.integers(1, attributes))
    reach = draw(st.sampled_from([1, 3, 9]))
    point = st.tuples(*[st.integers(0, reach)] * d)
    return draw(st.lists(point, min_size=least, max_size=most))


@st.composite
def people(draw: st.DrawFn) -> tuple[Points, list[int]]:
    """Points with a sensitive value each."""
    points = draw(point_sets(least=4))
    return points, draw(st.lists(st.integers(0, 3), min_size=len(points), max_size=len(points)))


def most_copies(codes: np.ndarray) -> int:
    return max(Counter(map(tuple, codes.tolist())).values())


class TestTheorems:
    @given(points=point_sets(), k=st.integers(1, 6))
    def test_strict_classes_are_bounded(self, points: Points, k: int):
        """Theorem 4: between k and 2d(k-1) + m rows, m being the most copies of one point."""
        k = min(k, len(points))
        microdata = coded(points)
        d = microdata.codes.shape[1]
        for rows in partition(microdata, [sf.KAnonymity(k)]):
            assert k <= len(rows) <= 2 * d * (k - 1) + most_copies(microdata.codes[rows])

    @given(points=point_sets(), k=st.integers(1, 6))
    def test_relaxed_classes_are_bounded(self, points: Points, k: int):
        """Theorem 5: between k and 2k - 1 rows, unless the rows are all alike and there is nothing to cut."""
        k = min(k, len(points))
        microdata = coded(points)
        for rows in partition(microdata, [sf.KAnonymity(k)], sf.Mondrian(relaxed=True)):
            alike = most_copies(microdata.codes[rows]) == len(rows)
            assert k <= len(rows)
            assert len(rows) <= 2 * k - 1 or alike

    @given(points=point_sets(), k=st.integers(1, 5))
    def test_no_cut_at_all_remains_for_k(self, points: Points, k: int):
        """A minimal partitioning: neither at the median nor anywhere else."""
        k = min(k, len(points))
        microdata = coded(points)
        for rows in partition(microdata, [sf.KAnonymity(k)]):
            for column in microdata.codes[rows].T:
                for value in column:
                    left = int((column <= value).sum())
                    assert min(left, len(rows) - left) < k

    @given(table=people(), l=st.sampled_from([1.5, 2]), kind=st.sampled_from(["frequency", "distinct", "entropy"]))
    def test_no_median_cut_remains_for_diversity(self, table: tuple[Points, list[int]], l: float, kind: str):  # noqa: E741
        microdata = coded(*table)
        models = [sf.KAnonymity(2), sf.LDiversity(round(l) if kind == "distinct" else l, kind=kind)]
        allowed = rule_for(microdata, models)
        if not allowed(list(range(len(microdata)))):
            return
        for rows in partition(microdata, models):
            assert allowed(rows)
            for left, right in median_cuts(microdata, rows):
                assert not (allowed(left) and allowed(right))

    @given(points=point_sets(), k=st.integers(1, 5), categories=st.sampled_from(["ordered", "taxonomy"]))
    def test_strict_classes_do_not_overlap(self, points: Points, k: int, categories: str):
        """Any two classes lie on two sides of a plane, so no class holds a point inside the box of another."""
        microdata = coded(points, hierarchies={"x0": TREE})
        classes = partition(microdata, [sf.KAnonymity(min(k, len(points)))], sf.Mondrian(categories=categories))
        boxes = [(microdata.codes[rows].min(axis=0), microdata.codes[rows].max(axis=0)) for rows in classes]
        for (lo, hi), (other_lo, other_hi) in itertools.combinations(boxes, 2):
            assert ((hi < other_lo) | (other_hi < lo)).any()

    @given(points=point_sets(), k=st.integers(1, 5))
    def test_losses_are_within_the_bounds_of_the_paper(self, points: Points, k: int):
        """Section 4.1, for strict and relaxed partitioning."""
        k = min(k, len(points))
        names = [f"x{at}" for at in range(len(points[0]))]
        table = pa.table(dict(zip(names, map(list, zip(*points, strict=True)), strict=True)))
        d, n, m = len(names), len(points), max(Counter(points).values())
        strict = sf.anonymize(table, quasi_identifiers=names, k=k, method="mondrian").loss
        assert k * n <= strict.dm <= (2 * d * (k - 1) + m) * n
        assert 1 <= strict.c_avg <= (2 * d * (k - 1) + m) / k
        relaxed = sf.anonymize(table, quasi_identifiers=names, k=k, method="mondrian-relaxed").loss
        # Equal rows that cannot be told apart stay together, however many they are.
        assert relaxed.dm <= max(2 * k, m) * n
        assert relaxed.c_avg <= max(2, m / k)

    @pytest.mark.parametrize(("d", "k", "m"), [(1, 2, 1), (2, 3, 4), (2, 5, 1), (3, 4, 7), (4, 2, 3)])
    def test_the_bound_is_reached_and_one_point_more_makes_a_cut(self, d: int, k: int, m: int):
        """Lemma 1 and Figure 5: a cross of points that cannot be cut."""
        centre = (1,) * d
        arms = [(*centre[:at], side, *centre[at + 1 :]) for at in range(d) for side in (0, 2)]
        cross = [centre] * m + arms * (k - 1)
        assert len(cross) == 2 * d * (k - 1) + m
        assert len(partition(coded(cross), [sf.KAnonymity(k)])) == 1
        assert len(partition(coded([*cross, arms[0]]), [sf.KAnonymity(k)])) > 1


def median_cuts(microdata: Microdata, rows: Rows) -> list[tuple[Rows, Rows]]:
    """Return both cuts at the median of every attribute: its own rows on the left, and on the right."""
    cuts = []
    for column in microdata.codes[rows].T:
        median = sorted(column)[(len(rows) + 1) // 2 - 1]
        for goes_left in (column < median, column <= median):
            sides = [[row for row, left in zip(rows, goes_left, strict=True) if left == side] for side in (True, False)]
            cuts.append((sides[0], sides[1]))
    return cuts


class TestTwin:
    @given(table=people(), k=st.integers(1, 4), weight=st.sampled_from([0.0, 0.5, 1.0, 3.0]))
    def test_strict(self, table: tuple[Points, list[int]], k: int, weight: float):
        weights = {"x0": weight} if len(table[0][0]) > 1 else {}
        self.compare(coded(*table, weights=weights), [sf.KAnonymity(min(k, len(table[0])))])

    @given(table=people(), k=st.integers(1, 4))
    def test_relaxed(self, table: tuple[Points, list[int]], k: int):
        self.compare(coded(*table), [sf.KAnonymity(min(k, len(table[0])))], sf.Mondrian(relaxed=True))

    @given(table=people(), categories=st.sampled_from(["ordered", "taxonomy"]))
    def test_categories(self, table: tuple[Points, list[int]], categories: str):
        hierarchies = {"x0": TREE, "x1": sf.Categorical()}
        microdata = coded(*table, hierarchies=hierarchies)
        self.compare(microdata, [sf.KAnonymity(2)], sf.Mondrian(categories=categories))

    @given(table=people(), kind=st.sampled_from(["frequency", "distinct", "entropy"]))
    def test_diversity(self, table: tuple[Points, list[int]], kind: str):
        models = [sf.KAnonymity(2), sf.LDiversity(2, kind=kind)]
        microdata = coded(*table)
        if rule_for(microdata, models)(list(range(len(microdata)))):
            self.compare(microdata, models)

    @settings(max_examples=examples(10))
    @given(seed=st.integers(0, 1000))
    def test_more_rows_than_parts(self, seed: int):
        """From 128 rows on the table is first cut coarsely, and its parts are finished by threads."""
        random = np.random.default_rng(seed)
        points = [tuple(row) for row in random.integers(0, 12, (400, 3)).tolist()]
        self.compare(coded(points), [sf.KAnonymity(3)])
        self.compare(coded(points), [sf.KAnonymity(3)], sf.Mondrian(relaxed=True))

    @pytest.mark.parametrize(("distinct", "dtype"), [(300, np.uint16), (70_000, np.uint32)])
    @pytest.mark.parametrize("relaxed", [False, True])
    def test_wide_domains(self, distinct: int, dtype: type, relaxed: bool):
        """Few rows out of many values: medians are found by halving the range of codes."""
        random = np.random.default_rng(distinct)
        points = np.stack([np.arange(distinct), random.integers(0, 50, distinct)], axis=1)
        whole = coded(points.tolist())
        assert whole.codes.dtype == dtype
        self.compare(whole.take(random.permutation(distinct)[:60]), [sf.KAnonymity(2)], sf.Mondrian(relaxed=relaxed))

    def compare(self, microdata: Microdata, models: Sequence[sf.methods.Method], method: sf.Mondrian | None = None):
        method = method or sf.Mondrian()
        twin = Twin(microdata, rule_for(microdata, models), method.relaxed, method.categories == "taxonomy")
        assert partition(microdata, models, method) == twin.partition()


class TestTaxonomies:
    @given(values=st.lists(st.integers(0, 9), min_size=2, max_size=60), k=st.integers(1, 5))
    def test_a_branch_is_cut_only_when_nothing_else_is_left(self, values: list[int], k: int):
        """Where the values of a branch are in several classes, none of these reaches beyond the branch."""
        microdata = coded([(value,) for value in values], hierarchies={"x0": TREE})
        classes = partition(microdata, [sf.KAnonymity(min(k, len(values)))], sf.Mondrian(categories="taxonomy"))
        branch_of = {row[0]: row[1:-1] for row in TREE.rows}
        for depth in range(2):
            for branch in {path[depth] for path in branch_of.values()}:
                inside = [[branch_of[str(values[row])][depth] == branch for row in rows] for rows in classes]
                touching = [flags for flags in inside if any(flags)]
                assert len(touching) < 2 or all(all(flags) for flags in touching)

    def test_ordered_cuts_go_through_branches(self):
        """Three leaves of A, one of B and two of C, two rows each: the median is the last leaf of A's first branch."""
        values = [0, 1, 2, 4, 8, 9] * 2 + [0] * 4
        microdata = coded([(value,) for value in values], hierarchies={"x0": TREE})

        def shown(categories: str) -> set[frozenset[int]]:
            classes = partition(microdata, [sf.KAnonymity(5)], sf.Mondrian(categories=categories))
            return {frozenset(values[row] for row in rows) for rows in classes}

        assert shown("ordered") == {frozenset({0, 1}), frozenset({2, 4, 8, 9})}
        assert shown("taxonomy") == {frozenset({0, 1, 2}), frozenset({4, 8, 9})}


class TestPatients:
    """The tables of the paper, as far as its text has them."""

    def test_figure_8(self):
        """Cut at zip code 53711, then at age 26: three classes with their ranges and mean ages."""
        dataset = sf.datasets.patients()
        schema = sf.Schema({name: dataset.hierarchies[name] for name in ("zipcode", "age", "sex")}, dataset.sensitive)
        release = sf.anonymize(dataset.table, schema, k=2, keep_order=True, method="mondrian")
        ages = ["[25, 26]", "[25, 27]", "[25, 26]", "[27, 28]", "[25, 27]", "[27, 28]"]
        zipcodes = ["53711", "53712", "53711", "[53710, 53711]", "53712", "[53710, 53711]"]
        assert release.data["age"].to_pylist() == ages
        assert release.data["zipcode"].to_pylist() == zipcodes
        assert release.data["sex"].to_pylist() == ["Male", "Female", "Male", "Male", "Female", "Male"]
        means = sf.anonymize(dataset.table, schema, k=2, keep_order=True, intervals="mean", method="mondrian").data
        assert means["age"].to_pylist() == [25.5, 26, 25.5, 27.5, 26, 27.5]
        described = {(row["age"], row["age_mean"], row["size"]) for row in release.class_table().to_pylist()}
        assert described == {("[25, 26]", 25.5, 2), ("[25, 27]", 26.0, 2), ("[27, 28]", 27.5, 2)}

    def test_figure_8_answers_averages(self):
        """The average age of men, from the means alone."""
        dataset = sf.datasets.patients()
        schema = sf.Schema({"zipcode": None, "age": None, "sex": None}, "disease")
        rows = sf.anonymize(dataset.table, schema, k=2, intervals="mean", method="mondrian").data.to_pylist()
        men = [row["age"] for row in rows if row["sex"] == "Male"]
        assert sum(men) / len(men) == (25 + 26 + 27 + 28) / 4

    def test_figure_4(self):
        """Zip code and age alone: the same cuts."""
        table = sf.datasets.patients().table.select(["zipcode", "age", "disease"])
        release = sf.anonymize(table, quasi_identifiers=["zipcode", "age"], sensitive="disease", k=2, method="mondrian")
        shown = Counter(zip(release.data["zipcode"].to_pylist(), release.data["age"].to_pylist(), strict=True))
        assert shown == {("53711", "[25, 26]"): 2, ("[53710, 53711]", "[27, 28]"): 2, ("53712", "[25, 27]"): 2}

    def test_figure_6(self):
        """By zip code alone and k = 3 the strict form shows one class; the relaxed one shows two."""
        table = sf.datasets.patients().table.select(["zipcode"])
        strict = sf.anonymize(table, quasi_identifiers="zipcode", k=3, method="mondrian")
        assert set(strict.data["zipcode"].to_pylist()) == {"[53710, 53712]"}
        relaxed = sf.anonymize(table, quasi_identifiers="zipcode", k=3, method="mondrian-relaxed")
        assert Counter(relaxed.data["zipcode"].to_pylist()) == {"[53710, 53711]": 3, "[53711, 53712]": 3}


class TestChoices:
    def test_weights_decide_which_attribute_is_cut(self):
        square = [(x, y) for x in range(2) for y in range(2)] * 2
        even = partition(coded(square), [sf.KAnonymity(4)])
        by_second = partition(coded(square, weights={"x1": 2.0}), [sf.KAnonymity(4)])
        assert [{square[row][0] for row in rows} for rows in even] == [{0}, {1}]
        assert sorted(min(square[row][1] for row in rows) for rows in by_second) == [0, 1]
        assert all(len({square[row][1] for row in rows}) == 1 for rows in by_second)

    def test_an_attribute_without_weight_is_cut_when_nothing_else_can_be(self):
        points = [(x, 0) for x in range(8)]
        assert len(partition(coded(points, weights={"x0": 0.0}), [sf.KAnonymity(2)])) == 4

    def test_the_widest_attribute_is_cut_first(self):
        """By its share of the table, not by its numbers: a grid falls into quadrants, not into strips."""
        grid = [(x, 1000 * y) for x in range(4) for y in range(4)]
        classes = partition(coded(grid), [sf.KAnonymity(4)])
        quadrants = [{(grid[row][0] // 2, grid[row][1] // 2000) for row in rows} for rows in classes]
        assert sorted(map(len, quadrants)) == [1, 1, 1, 1]

    @pytest.mark.parametrize("relaxed", [False, True])
    def test_threads_do_not_change_the_result(self, monkeypatch, relaxed: bool):
        random = np.random.default_rng(3)
        microdata = coded(random.integers(0, 200, (5000, 3)).tolist(), random.integers(0, 5, 5000).tolist())
        models = [sf.KAnonymity(4), sf.LDiversity(2)]
        whole = partition(microdata, models, sf.Mondrian(relaxed=relaxed))
        monkeypatch.setattr(mondrian, "LEAST_PART", 16)  # so that the first cuts are made side by side
        for number in (1, 2, 3, 7, 16):
            monkeypatch.setenv("SFUMATO_THREADS", str(number))
            assert partition(microdata, models, sf.Mondrian(relaxed=relaxed)) == whole

    @pytest.mark.parametrize("wrong", [{"relaxed": 1}, {"relaxed": "no"}, {"categories": "random"}])
    def test_wrong_parameters(self, wrong: dict):
        with pytest.raises(ParameterError, match=f"'{next(iter(wrong))}' parameter of Mondrian"):
            sf.Mondrian(**wrong)

    def test_its_names(self):
        assert find_method("mondrian") == sf.Mondrian()
        assert find_method("mondrian-relaxed") == sf.Mondrian(relaxed=True)
        with pytest.raises(ParameterError, match=r"no method called 'mondrain'.*mondrian"):
            find_method("mondrain")

    def test_what_it_says_of_itself(self):
        assert (sf.Mondrian().recoding, sf.Mondrian().order_free) == ("global", True)
        assert (sf.Mondrian(relaxed=True).recoding, sf.Mondrian(relaxed=True).order_free) == ("local", False)


class TestAdult:
    QUASI_IDENTIFIERS = (
        "sex",
        "age",
        "race",
        "marital-status",
        "education",
        "native-country",
        "workclass",
        "salary-class",
    )

    @pytest.mark.parametrize(("k", "at_most"), [(5, 0.056), (10, 0.102), (50, 0.272)])
    def test_loss(self, adult_dir, k: int, at_most: float):
        dataset = sf.datasets.adult(adult_dir).without_levels()
        schema = sf.Schema({name: dataset.hierarchies[name] for name in self.QUASI_IDENTIFIERS}, rest="drop")
        release = sf.anonymize(dataset.table, schema, k=k, method="mondrian")
        assert release.table.num_rows == 30_162
        assert release.achieved.k >= k
        assert release.loss.gcp <= at_most
