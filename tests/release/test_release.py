"""A release: what it tells of itself, and that it is written safe or not at all."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from dataclasses import replace

import pyarrow as pa
import pytest
from tests.release.given import SEED, Given

import sfumato as sf
from sfumato.errors import OutputError, ParameterError, VerificationError
from sfumato.loss import Bound, LossReport
from sfumato.release.summary import summarize
from sfumato.testing.tables import SCHEMA, people
from sfumato.verify.release import verify_release


@pytest.fixture(scope="module")
def release() -> sf.Release:
    return sf.anonymize(people(100), SCHEMA, k=4, l=2, suppression=0.05, seed=3, method="mondrian")


@pytest.fixture
def unsafe(release: sf.Release) -> sf.Release:
    """A release whose promise was larger than what it keeps."""
    asked = [{"model": "k-anonymity", "k": 90}]
    failing = verify_release(release.table, release.shown.class_columns, release.sensitive, asked)
    return replace(release, promises=asked, verification=failing)


class TestWhatItTells:
    def test_rows_and_classes(self, release: sf.Release):
        assert release.table.num_rows == 100 - release.suppressed
        assert 0 <= release.suppressed <= 5
        groups = release.table.select(list(SCHEMA.quasi_identifiers)).to_pylist()
        assert release.classes == len({tuple(row.values()) for row in groups})

    def test_achieved(self, release: sf.Release):
        assert release.achieved.k >= 4
        assert set(release.achieved.sensitive) == {"illness", "income"}
        assert release.achieved.sensitive["illness"].frequency_l >= 2
        assert release.verify().ok

    def test_losses_by_name_and_as_attributes(self, release: sf.Release):
        assert release.loss["gcp"] == release.loss.gcp
        assert 0 < release.loss.gcp < 1
        assert set(release.loss.by_attribute) == set(SCHEMA.quasi_identifiers)
        with pytest.raises(AttributeError, match=r"no loss called 'gpc'.*gcp"):
            release.loss.gpc  # noqa: B018

    def test_data_is_made_once(self, release: sf.Release):
        assert release.data is release.data

    def test_the_original_is_not_pickled(self, release: sf.Release):
        with pytest.raises(TypeError, match=r"holds the original table\. Write it with release\.write\(\)"):
            pickle.dumps(release)

    @pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
    def test_copies_tell_the_same(self, release: sf.Release, copied: Callable[[sf.Release], sf.Release]):
        other = copied(release)
        assert other.table == release.table
        assert other.verify() == release.verify()
        assert float(other.bound) == float(release.bound)

    def test_manifest_is_json_and_complete(self, release: sf.Release):
        manifest = json.loads(json.dumps(release.manifest, allow_nan=False))
        assert manifest["input"]["rows"] == 100
        assert manifest["input"]["columns"] == 9
        assert manifest["input"]["kind"] == "pyarrow"
        assert len(manifest["input"]["content_hash"]) == 32
        assert manifest["roles"]["name"] == "identifier"
        assert manifest["options"]["seed"] == 3
        assert manifest["method"] == {
            "name": "mondrian",
            "parameters": {"relaxed": False, "categories": "ordered"},
        }
        assert {model["model"] for model in manifest["privacy"]} == {"k-anonymity", "l-diversity"}
        assert manifest["suppressed"]["total"] == release.suppressed
        assert {"sfumato", "python", "numpy"} <= set(manifest["versions"])
        assert {"read", "method", "release", "verify", "total"} <= set(manifest["seconds"])

    def test_another_content_has_another_hash(self):
        def content_hash(table: int, seed: int | None) -> str:
            return sf.anonymize(people(30, table), SCHEMA, k=3, seed=seed).manifest["input"]["content_hash"]

        assert content_hash(1, seed=7) == content_hash(1, seed=7)
        assert len({content_hash(1, seed=7), content_hash(2, seed=7), content_hash(1, seed=8)}) == 3

    def test_summary_is_for_people(self, release: sf.Release):
        text = str(release)
        assert text == release.summary()
        for word in (
            "quasi-identifiers",
            "age",
            "mondrian",
            "k-anonymity",
            "GCP",
            "DM",
            "C_AVG",
            "verified",
            "seconds",
        ):
            assert word in text
        assert max(map(len, text.splitlines())) < 300

    def test_classes_that_look_alike_are_told_from_those_that_were_made(self):
        alike = pa.table({"age": [20, 30, 20, 30]})
        release = sf.anonymize(alike, quasi_identifiers="age", k=2, method=Given((0, 0, 1, 1)), seed=SEED)
        assert "classes            1 different, of 2 made" in release.summary()
        assert (release.classes, release.loss.classes, release.loss.dm) == (1, 2, 8)
        apart = sf.anonymize(alike, quasi_identifiers="age", k=2, method=Given((0, 1, 0, 1)), seed=SEED)
        assert "classes            2\n" in apart.summary()

    @pytest.mark.parametrize(
        ("gcp", "bound", "expected"),
        [(0.3, 0.1, "this one loses 3.0 times that"), (0.3, 1e-5, "too close to 0 to judge")],
    )
    def test_a_bound_near_0_is_not_compared_with(self, release: sf.Release, gcp, bound, expected):
        loss = LossReport({**release.loss, "gcp": gcp}, release.loss.by_attribute, release.loss.classes)
        assert expected in summarize(release.manifest, release.verification, loss, Bound(bound))

    def test_a_summary_counts_what_it_has_no_room_to_name(self):
        table = pa.table({"age": [1, 1], **{f"c{number}": [1, 2] for number in range(3000)}})
        summary = sf.anonymize(table, quasi_identifiers="age", rest="plain", k=2, method="mondrian").summary()
        assert "c28, c29 and 2,970 more (each a number)\n" in summary
        assert "c30" not in summary

    def test_classes_with_their_means(self, release: sf.Release):
        described = release.class_table().to_pydict()
        assert sum(described["size"]) == release.table.num_rows
        assert {"age", "age_mean", "born_mean", "sex"} <= set(described)

    def test_what_a_method_has_to_tell(self):
        table = pa.table({"x": [1, 2]})
        told = sf.anonymize(table, quasi_identifiers="x", k=2, method=Given((0, 0)), seed=SEED)
        assert told.told is True
        with pytest.raises(AttributeError, match="'optimum'"):
            told.optimum  # noqa: B018

    def test_showing_it_shows_no_rows(self, release: sf.Release):
        assert len(repr(release)) < 1500


class TestWriting:
    @pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "jsonl"])
    def test_what_is_written_verifies_from_the_file_alone(self, release: sf.Release, tmp_path, ending):
        path = tmp_path / f"release.{ending}"
        release.write(path)
        result = sf.check(
            path, quasi_identifiers=list(SCHEMA.quasi_identifiers), sensitive=["illness", "income"], k=4, l=2
        )
        assert result.ok
        assert result.rows == release.table.num_rows
        assert result.classes == release.classes

    def test_manifest_beside_it(self, release: sf.Release, tmp_path):
        release.write(tmp_path / "release.csv", manifest=tmp_path / "manifest.json")
        assert json.loads((tmp_path / "manifest.json").read_text()) == release.manifest

    @pytest.mark.parametrize("ending", ["csv", "parquet"])
    def test_what_does_not_verify_is_not_written(self, unsafe: sf.Release, tmp_path, ending):
        with pytest.raises(VerificationError, match=r"not written.*\n.*k=90: BROKEN"):
            unsafe.write(tmp_path / f"release.{ending}", manifest=tmp_path / "manifest.json")
        assert list(tmp_path.iterdir()) == []

    def test_what_does_not_verify_leaves_the_last_good_file(self, unsafe: sf.Release, release, tmp_path):
        path = tmp_path / "release.csv"
        release.write(path)
        before = path.read_bytes()
        with pytest.raises(VerificationError):
            unsafe.write(path)
        assert path.read_bytes() == before

    def test_the_error_quotes_no_class(self, unsafe: sf.Release):
        with pytest.raises(VerificationError) as caught:
            unsafe.write("release.csv")
        for value in {str(cell) for column in ("zip", "city") for cell in unsafe.table[column].to_pylist()} - {"*"}:
            assert value not in str(caught.value)

    def test_an_unknown_ending(self, release: sf.Release, tmp_path):
        with pytest.raises(ParameterError, match=r"\.csv.*\.parquet"):
            release.write(tmp_path / "release.docx")

    def test_a_folder_that_is_not_there(self, release: sf.Release, tmp_path):
        with pytest.raises(OutputError, match="does not exist"):
            release.write(tmp_path / "nowhere" / "release.csv")


class TestCheating:
    """A method that breaks its promise: nothing is handed out."""

    TABLE = pa.table({"x": [111_113, 222_229, 333_337, 444_449], "s": ["secret one"] * 2 + ["secret two"] * 2})

    @pytest.mark.parametrize(
        ("method", "privacy"),
        [
            (Given((0, 1, 2, 3)), sf.KAnonymity(2)),
            (Given((0, 0, 1, 1)), sf.LDiversity(2)),
            (Given((0, 0, 1, 1)), sf.LDiversity(2, kind="distinct")),
            (Given((0, 0, 1, 1)), sf.LDiversity(2, kind="entropy")),
            (Given((0, 0, 1, 1)), sf.LDiversity(2, kind="recursive", c=2)),
            (Given((0, 0, 1, 1)), sf.TCloseness(0.2)),
            (Given((0, 0, 1, 1)), sf.TCloseness(0.2, distance="ordered")),
            (Given((0, 0, 1, 1)), sf.MinimumSpan("x", 200_000)),
        ],
        ids=str,
    )
    def test_it_is_caught(self, method, privacy):
        with pytest.raises(VerificationError, match="not handed out") as caught:
            sf.anonymize(self.TABLE, quasi_identifiers="x", sensitive="s", privacy=privacy, method=method, seed=SEED)
        message = str(caught.value)
        assert privacy.name.replace("minimum-span", "minimum span") in message
        assert "BROKEN" in message
        for value in ("111113", "222229", "333337", "secret"):
            assert value not in message.replace(",", "")

    def test_leaving_out_more_rows_than_allowed_is_caught(self):
        with pytest.raises(VerificationError, match="left out 2 rows, but only 1"):
            sf.anonymize(
                self.TABLE,
                quasi_identifiers="x",
                sensitive="s",
                k=2,
                suppression=0.25,
                method=Given((0, 0, -1, -1)),
                seed=SEED,
            )
