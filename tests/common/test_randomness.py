"""The order of rows, and how equal rows are dealt to classes, tell nothing: both attacks here once worked."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations, pairwise, product
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.api.policy import Policy
from sfumato.cli.anonymize import record
from sfumato.cli.files import ReleaseFiles
from sfumato.common import randomness
from sfumato.common.randomness import BITS, LONG, Secret
from sfumato.methods import REGISTRY, find_method

LOCAL = sorted(name for name in REGISTRY if find_method(name).recoding == "local")


class TestSecret:
    def test_a_fresh_one_each_time(self, fresh_seeds):
        seeds = {Secret.of(None).seed for _ in range(50)}
        assert len(seeds) == 50
        assert max(seeds).bit_length() > BITS - 8

    def test_a_given_one_is_kept(self):
        assert Secret.of(0).seed == 0
        assert Secret.of(2**200).permutation("x", 9).tolist() == Secret(2**200).permutation("x", 9).tolist()

    def test_purposes_and_seeds_are_independent(self):
        drawn = [Secret(seed).permutation(purpose, 1000) for seed in (0, 1, 2**128 + 1) for purpose in ("one", "other")]
        for one, other in combinations(drawn, 2):
            assert (one == other).sum() < 12
            assert abs(np.corrcoef(one, other)[0, 1]) < 0.15

    def test_every_order_is_as_likely(self):
        counts = defaultdict(int)
        for seed in range(6000):
            counts[tuple(Secret(seed).permutation("x", 3).tolist())] += 1
        assert len(counts) == 6
        assert max(abs(count - 1000) for count in counts.values()) < 150

    def test_every_order_of_a_long_table_is_as_likely(self, monkeypatch):
        for name, value in {"LONG": 1, "BUCKET": 1}.items():
            monkeypatch.setattr(randomness, name, value)
        orders = Counter(tuple(Secret(seed).permutation("order", 3).tolist()) for seed in range(3000))
        assert len(orders) == 6
        assert min(orders.values()) > 400

    @pytest.mark.parametrize("threads", [1, 2, 3, 7, 16])
    def test_the_order_of_a_long_table_does_not_depend_on_threads(self, threads, monkeypatch):
        rows = 2 * LONG + 7
        expected = Secret(5).permutation("order", rows)
        monkeypatch.setenv("SFUMATO_THREADS", str(threads))
        assert (Secret(5).permutation("order", rows) == expected).all()
        assert (np.sort(expected) == np.arange(rows)).all()
        assert (Secret(6).permutation("order", rows) != expected).any()

    def test_it_is_not_shown(self):
        assert "12345" not in repr(Secret(12345))


AGES = [20, 21, 22, 23, 24, 25, 60, 61, 62, 63, 64, 65]


def patients(sick: Sequence[int]) -> pa.Table:
    return pa.table({"age": AGES, "illness": ["hiv" if row in sick else "flu" for row in range(12)]})


class TestOrderOracle:
    """Twelve people in two classes, three of six of them ill, one of whom is known: who are the others?"""

    def release(self, table: pa.Table, **options: Any) -> pa.Table:
        return sf.anonymize(table, quasi_identifiers="age", sensitive="illness", k=6, l=2, **options).table

    def test_guesses_are_not_confirmed(self, fresh_seeds):
        """Whoever knows the ages in the order of the file tries assignments until the order of the release fits."""
        published = self.release(patients([0, 3, 4, 6, 9, 11]), method="mondrian")
        fitting = [
            (*first, 6, *second)
            for first, second in product(combinations(range(6), 3), combinations(range(7, 12), 2))
            if self.release(patients([*first, 6, *second]), method="mondrian").equals(published)
        ]
        assert fitting == []

    def test_one_order_whatever_the_rows_hold(self):
        rows = pa.array(range(12))
        tables = [patients(sick).append_column("row", rows) for sick in ([0, 3, 4, 6, 9, 11], [1, 2, 5, 7, 8, 10])]
        orders = [self.release(table, plain="row", confirm="row", seed=1)["row"].to_pylist() for table in tables]
        assert orders[0] == orders[1] != list(range(12))

    def test_the_hash_in_the_manifest_confirms_no_guess(self, fresh_seeds):
        hashes = {
            sf.anonymize(
                patients([0, 6]), quasi_identifiers="age", sensitive="illness", k=6, method="mondrian"
            ).manifest["input"]["content_hash"]
            for _ in range(3)
        }
        assert len(hashes) == 3


class TestTies:
    """Equal people are shown by several classes. Which of them went where must not follow the file."""

    NAMES = ("age", "gender", "education")
    TABLE = sf.datasets.census(rows=1500, seed=3).table.select([*NAMES, "occupation"])
    TABLE = TABLE.set_column(0, "age", pa.array([age // 8 * 8 for age in TABLE["age"].to_pylist()]))

    def dealt(self, method: str, seed: int = 0) -> list[list[Any]]:
        """Return how equal rows are shown, in the order of the file, where eight or more go several ways in numbers."""
        request: dict[str, Any] = {"sensitive": "occupation", "k": 7, "method": method, "seed": seed}
        release = sf.anonymize(self.TABLE, quasi_identifiers=self.NAMES, **request, keep_order=True)
        shown = defaultdict(list)
        originals, labels = (table.select(self.NAMES).to_pylist() for table in (self.TABLE, release.table))
        for original, label in zip(originals, labels, strict=True):
            shown[tuple(original.values())].append(tuple(label.values()))
        ways = ((labels, Counter(labels)) for labels in shown.values() if len(labels) >= 8)
        return [labels for labels, counts in ways if len(counts) > 1 and min(counts.values()) > 1]

    @pytest.mark.parametrize("method", LOCAL)
    def test_they_are_not_dealt_in_the_order_of_the_file(self, method):
        parted = [labels for seed in range(3) for labels in self.dealt(method, seed)]
        blocks = [1 + sum(one != other for one, other in pairwise(labels)) for labels in parted]
        contiguous = sum(block == len(set(labels)) for block, labels in zip(blocks, parted, strict=True))
        assert contiguous <= 0.2 * len(parted)

    def test_some_method_parts_equal_rows(self):
        """Or the test above would look at nothing."""
        assert {method for method in LOCAL if self.dealt(method)} >= {
            "auto",
            "hilbert",
            "idistance",
            "mondrian-relaxed",
        }

    def test_rows_left_out_do_not_follow_the_file(self):
        """Of 60 equal rows with a too frequent value 20 have to go: not the last ones."""
        table = pa.table({"age": [30] * 100, "illness": ["flu"] * 60 + ["acne", "gout"] * 20, "row": list(range(100))})
        release = sf.anonymize(
            table,
            quasi_identifiers="age",
            sensitive="illness",
            plain="row",
            confirm="row",
            l=2,
            suppression=0.2,
            seed=1,
        )
        gone = set(range(100)) - set(release.table["row"].to_pylist())
        assert len(gone) == 20
        assert 20 < sum(gone) / 20 < 40


class TestReproducing:
    TABLE = sf.datasets.census(rows=300, seed=2).table.select(["age", "gender", "education", "occupation"])
    ROLES: ClassVar[dict[str, Any]] = {
        "quasi_identifiers": ["age", "gender", "education"],
        "sensitive": "occupation",
        "k": 5,
    }

    def test_without_a_seed_every_release_is_another(self, fresh_seeds):
        one, other = (sf.anonymize(self.TABLE, **self.ROLES) for _ in range(2))
        assert one.manifest["options"]["seed"] != other.manifest["options"]["seed"]
        assert not one.table.equals(other.table)

    def test_the_seed_in_the_manifest_makes_it_again(self, fresh_seeds, tmp_path: Path):
        made = sf.anonymize(self.TABLE, **self.ROLES, method="peeling")
        made.write(tmp_path / "made.csv", manifest=tmp_path / "manifest.json")
        seed = json.loads((tmp_path / "manifest.json").read_text())["options"]["seed"]
        again = sf.anonymize(self.TABLE, **self.ROLES, method="peeling", seed=seed)
        again.write(tmp_path / "again.csv")
        assert (tmp_path / "made.csv").read_bytes() == (tmp_path / "again.csv").read_bytes()
        assert made.manifest["input"]["content_hash"] == again.manifest["input"]["content_hash"]

    def test_a_drawn_seed_does_not_get_into_the_policy(self, fresh_seeds, tmp_path: Path):
        policy = Policy(sf.Schema(["age"], sensitive="occupation", rest="drop"), [sf.KAnonymity(5)])
        release = policy.run(self.TABLE)
        policy.write(tmp_path / "policy.toml")
        assert "seed" not in (tmp_path / "policy.toml").read_text()
        assert Policy.read(tmp_path / "policy.toml") == policy
        assert str(release.manifest["options"]["seed"]) not in release.summary()

    def test_a_command_does_not_print_it(self, fresh_seeds, tmp_path: Path):
        release = sf.anonymize(self.TABLE, **self.ROLES, method="mondrian")
        told = json.dumps(record(release, ReleaseFiles("in.csv", tmp_path / "out.csv")))
        assert str(release.manifest["options"]["seed"]) not in told
        assert release.manifest["input"]["content_hash"] in told

    def test_strongest_and_recode_draw_too(self, fresh_seeds):
        roles = {"quasi_identifiers": "age", "rest": "drop"}
        found = sf.strongest(self.TABLE, **roles, max_gcp=0.2, method="mondrian")
        schema = sf.Schema({"age": sf.Numeric(widths=(10,))}, rest="drop")
        recoded = sf.recode(self.TABLE, schema, levels={"age": 1})
        assert min(one.manifest["options"]["seed"].bit_length() for one in (found.release, recoded)) > 64

    def test_keeping_the_order(self):
        table = self.TABLE.append_column("row", pa.array(range(300)))
        release = sf.anonymize(
            table, **self.ROLES, plain="row", confirm="row", keep_order=True, suppression=0.1, seed=1
        )
        rows = release.table["row"].to_pylist()
        assert rows == sorted(rows)
        assert release.table["occupation"].to_pylist() == self.TABLE["occupation"].take(pa.array(rows)).to_pylist()
