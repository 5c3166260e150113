"""Which values fit a shown cell, as the verifier reads it: every form of a cell at both of its ends."""

from __future__ import annotations

import datetime

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import InfeasibleError
from sfumato.verify.population import _test


@pytest.mark.parametrize(
    ("cell", "inside", "outside"),
    [
        ("[20, 29]", ["20", "24.5", "29"], ["19.999", "29.001", "30", "old"]),
        ("[20, 30)", ["20", "29.999"], ["19", "30", "31"]),
        ("40±5", ["35", "40", "44.999"], ["34.999", "45", "46"]),
        ("90+", ["90", "104"], ["89", "89.999"]),
        ("<18", ["17.999", "0", "-1"], ["18", "19"]),
        ("[2020-01-01, 2020-01-31]", ["2020-01-01", "2020-01-31"], ["2019-12-31", "2020-02-01"]),
        ("2020-01", ["2020-01-01", "2020-01-31"], ["2019-12-31", "2020-02-01"]),
        ("{flu, ulcer}", ["flu", "ulcer"], ["fl", "asthma", "flu, ulcer"]),
        ("537**", ["53700", "53799"], ["53800", "53"]),
        ("flu", ["flu"], ["Flu", "flu "]),
        ("[20, old]", ["[20, old]"], ["20", "25"]),
    ],
)
def test_a_cell_holds_its_values_and_no_others(cell: str, inside: list[str], outside: list[str]) -> None:
    fits = _test(cell, {}, {})
    assert [text for text in inside if not fits(text)] == []
    assert [text for text in outside if fits(text)] == []


class TestHostilePopulations:
    """The maker and the verifier agree on who fits a cell, however values are written."""

    @pytest.mark.parametrize(
        "values",
        [
            [datetime.datetime(2024, 2, 29, 12, 30, 1)] * 3,
            [datetime.datetime(2024, 2, 29), datetime.datetime(1700, 1, 1)],
            ["[1, 2]", "{a, b}", "a*", "<5", ">5", "5+"],
            [0.1, 1e22, -1e30],
            [-3, 2**62, 5],
        ],
        ids=str,
    )
    def test_a_value_fits_the_cell_that_shows_it(self, values: list[object]) -> None:
        people = pa.table({"q": values})
        release = sf.anonymize(people, quasi_identifiers="q", privacy=sf.KMap(1, population=people), seed=1)
        assert release.verification.ok

    def test_codes_that_are_equal_as_numbers_are_two_codes(self) -> None:
        people, register = pa.table({"q": ["1"]}), pa.table({"q": ["1", "01", "1.0"]})
        assert not sf.check(people, quasi_identifiers="q", privacy=sf.KMap(2, population=register))

    def test_a_huge_number_does_not_blur_small_ones(self) -> None:
        people = pa.table({"q": [-3, 5, 2, 9, 0, 2**62, 5, 1]})
        asked = sf.DeltaPresence(0, 0.5, population=people)
        with pytest.raises(InfeasibleError):
            sf.anonymize(people, quasi_identifiers="q", privacy=asked, suppression=0.3, method="hilbert", seed=1)
