"""Texts that look alike are one value, where asked for; the verifier's own reading agrees."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.assess.cautions.views import cautions, released
from tests.examples import examples

import sfumato as sf
from sfumato.common.grouping import folded, look_alikes
from sfumato.table.schema import Schema
from sfumato.verify.interpretations import BY_EYE

ZERO_WIDTH = chr(0x200B)
FLU = ["flu", "flu ", "flu\t", "flu" + ZERO_WIDTH, chr(0xFB02) + "u"]
CAFE = ["caf" + chr(0xE9), "cafe" + chr(0x301)]

LETTERS = st.sampled_from(
    [*"aFlé 1", "\t", "\n", ZERO_WIDTH, chr(0x301), chr(0xA0), chr(0xAD), chr(0xFB01), chr(0xFE0F)]
)


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(LETTERS | st.characters(codec="utf-8"), max_size=8).map("".join))
def test_two_implementations_fold_alike(text: str) -> None:
    if any(unicodedata.category(one) == "Cn" for one in text):
        return  # characters of a newer Unicode than one of the two knows
    [found] = folded(pa.array([text])).to_pylist()
    assert found == BY_EYE.seen(text)
    assert folded(pa.array([found])).to_pylist() == [found]


def test_look_alikes_are_numbered_once() -> None:
    assert look_alikes(pa.array([*FLU, *CAFE])).tolist() == [0] * 5 + [1] * 2
    assert look_alikes(pa.array(["a", "A"])).tolist() == [0, 1]
    assert look_alikes(pa.array(["a", "A"]), case=True).tolist() == [0, 0]
    assert look_alikes(pa.array([3, 4])).tolist() == [0, 1]


def table(words: list[str]) -> pa.Table:
    return pa.table(
        {"age": [30 + row % 2 for row in range(64)], "ill": [words[row // 2 % len(words)] for row in range(64)]}
    )


@pytest.mark.parametrize("words", [FLU[:3], CAFE])
def test_a_class_of_one_disease_is_warned_of_and_can_be_folded(words: list[str]) -> None:
    asked = {"quasi_identifiers": "age", "sensitive": "ill", "k": 2}
    release = sf.anonymize(table(words), **asked, l=2)
    [caution] = [one for one in release.cautions if one.code == "look-alikes"]
    assert (caution.severity, caution.count) == ("warning", len(words) - 1)
    assert "sf.Fold()" in caution.advice
    assert words[0] not in caution.found + caution.advice
    fold = {"ill": sf.Fold()}
    with pytest.raises(sf.errors.InfeasibleError):
        sf.anonymize(table(words), **asked, l=2, transform=fold)
    mended = sf.anonymize(table([*words, "gout"]), **asked, transform=fold)
    assert len(set(mended.table["ill"].to_pylist())) == 2
    assert not [one for one in mended.cautions if one.code == "look-alikes"]


def test_quasi_identifiers_and_capitals_are_named_too() -> None:
    cells = {"town": ["Rome", "Rome ", "Oslo", "OSLO"], "ill": ["a", "b", "a", "b"]}
    [blank] = cautions(released(cells, Schema("town", "ill"), [0] * 4), "look-alikes")
    assert (blank.severity, blank.columns) == ("warning", ("town",))
    cells["town"] = ["Rome", "Bern", "Oslo", "OSLO"]
    [capital] = cautions(released(cells, Schema("town", "ill"), [0] * 4), "look-alikes")
    assert capital.severity == "note"
    assert "Fold(case=True)" in capital.advice


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_a_check_says_what_holds_by_eye(tmp_path: Path, ending: str, engine: str) -> None:
    path = tmp_path / f"release.{ending}"
    words = [*CAFE, "the" + ZERO_WIDTH, "the"]
    if ending == "parquet":
        pq.write_table(table(words), path)
    else:
        sf.anonymize(table(words), quasi_identifiers="age", sensitive="ill", k=2, seed=1).write(path)
    asked = {"quasi_identifiers": "age", "sensitive": "ill", "engine": engine}
    found = sf.check(path, **asked, l=3)
    assert found.ok
    assert any("look alike" in note and "BROKEN" in note for note in found.notes)
    assert any("look alike" in note for note in sf.check(path, **asked).notes)
    assert not any("look alike" in note for note in sf.check(path, **asked, l=2).notes)


def test_folding_is_for_text() -> None:
    with pytest.raises(sf.errors.DataError, match="is no text"):
        sf.anonymize(table(["a"]), quasi_identifiers="age", sensitive="ill", k=2, transform={"age": sf.Fold()})
    with pytest.raises(sf.errors.ParameterError, match="'fold' or 'fold:case'"):
        sf.Fold.from_short("upper")
    assert sf.Fold.from_short("case") == {"case": True}


# Everybody twice


@pytest.mark.parametrize("times", [2, 3])
def test_a_table_that_is_there_several_times_is_warned_of(times: int) -> None:
    rng = np.random.default_rng(1)
    once = pa.table({"age": rng.integers(20, 60, 80), "ill": rng.choice(["a", "b", "c"], 80)})
    several = pa.concat_tables([once] * times)
    asked = {"quasi_identifiers": "age", "sensitive": "ill", "k": 2}
    found = [one for one in sf.anonymize(several, **asked).cautions if one.code == "repeated-rows"]
    assert [one.severity for one in found] == ["warning"]
    assert f"at least {times} times" in found[0].found
    assert not [one for one in sf.anonymize(once, **asked).cautions if one.code == "repeated-rows"]
    named = several.append_column("who", pa.array(list(range(80)) * times))
    counted = sf.anonymize(named, **asked, person="who")
    assert not [one for one in counted.cautions if one.code == "repeated-rows"]
