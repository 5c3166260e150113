"""A sample's answers about the whole table: scaled, and within bounds that the table keeps."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf


def people(seed: int, rows: int = 700) -> pa.Table:
    rng = np.random.default_rng(seed)
    sick = np.array(["flu", "cold", "gout"])[rng.integers(0, 3, rows)]
    return pa.table({"age": rng.integers(20, 60, rows), "pay": rng.integers(1, 90, rows), "sick": sick})


@pytest.mark.parametrize("share", [0.5, 0.1, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_bounds_of_a_sample_hold_for_the_table(share: float, seed: int) -> None:
    table = people(seed)
    ages, pay = table["age"].to_numpy(), table["pay"].to_numpy()
    release = sf.anonymize(table, quasi_identifiers="age", sensitive="sick", rest="plain", k=3, sample=share,
                           seed=seed, confirm=["pay"])  # fmt: skip
    everybody = release.count()
    assert (everybody.lower, everybody.upper) == (round(700 * share), 700)
    assert everybody.estimate == pytest.approx(700)
    for low, high in [(20, 30), (35, 59), (50, 50)]:
        assert int(((ages >= low) & (ages <= high)).sum()) in release.count({"age": (low, high)})
    assert int(pay.sum()) in release.sum("pay")
    assert pay.mean() in release.mean("pay")
    assert int(pay.min()) in release.min("pay")
    assert release.sum("pay").estimate == pytest.approx(pay.sum(), rel=0.3)
    assert ("drawn from 700" in release.summary()) == (release.manifest["input"].get("drawn_from") is not None)


def test_two_tables_of_a_sample_answer_for_the_table() -> None:
    table = people(1)
    release = sf.anatomize(table, quasi_identifiers="age", sensitive="sick", l=2, rest="drop", sample=0.5, seed=1)
    for where in (None, {"sick": "flu"}, {"age": (20, 39), "sick": "cold"}):
        answer = release.count(where)
        asked = where or {}
        fits = np.ones(700, bool)
        if "age" in asked:
            fits &= table["age"].to_numpy() <= 39
        if "sick" in asked:
            fits &= np.array(table["sick"].to_pylist()) == asked["sick"]
        assert int(fits.sum()) in answer
        assert not answer.exact
        assert answer.estimate == pytest.approx(fits.sum(), rel=0.3)


def test_a_file_of_a_sample_is_told_its_share() -> None:
    table = pa.table({"age": ["[20, 29]"] * 4})
    answer = sf.Released.open(table, "age", suppressed=4, share=0.5).count()
    assert (answer.estimate, answer.lower, answer.upper) == (8, 4, 8)
    with pytest.raises(sf.errors.ParameterError, match="above 0"):
        sf.Released.open(table, "age", share=0)
