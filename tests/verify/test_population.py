"""Which values fit a shown cell, as the verifier reads it: every form of a cell at both of its ends."""

from __future__ import annotations

import pytest

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
