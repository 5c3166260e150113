"""Cautions as such: confirming them, refusing because of them, and what each of them says."""

from __future__ import annotations

from pathlib import Path

import pytest

from sfumato.assess.cautions import AFTER, BEFORE, CODES, Caution, check_confirmed, refuse, with_confirmations
from sfumato.assess.cautions.caution import percent
from sfumato.errors import CautionError, ParameterError

ERROR = Caution("near-unique", "error", ("phone",), 90, "Found.", "Do.")
WARNING = Caution("tells-hidden", "warning", ("code", "place"), 5, "Found.", "Do.")
NOTE = Caution("row-numbers", "note", ("no",), 5, "Found.", "Do.")


def test_the_gravest_comes_first() -> None:
    assert with_confirmations([NOTE, WARNING, ERROR], ()) == (ERROR, WARNING, NOTE)


@pytest.mark.parametrize(
    ("caution", "confirmed", "expected"),
    [
        (ERROR, ["phone"], True),
        (ERROR, ["near-unique"], False),  # an error is confirmed by the name of the column, and by nothing else
        (WARNING, ["code"], False),
        (WARNING, ["code", "place", "other"], True),
        (WARNING, ["tells-hidden"], True),
        (NOTE, [], False),
    ],
)
def test_a_caution_is_confirmed_by_its_columns_or_its_code(caution, confirmed, expected) -> None:
    assert with_confirmations([caution], confirmed)[0].confirmed is expected


def test_errors_refuse_always_and_warnings_only_strictly() -> None:
    refuse(with_confirmations([WARNING, NOTE], ()), strict=False)
    refuse(with_confirmations([NOTE], ()), strict=True)
    for cautions, strict in [([ERROR], False), ([WARNING, NOTE], True)]:
        with pytest.raises(CautionError) as refused:
            refuse(with_confirmations(cautions, ()), strict)
        assert refused.value.cautions == (cautions[0],)


def test_what_is_confirmed_stands_in_nobody_s_way() -> None:
    refuse(with_confirmations([ERROR, WARNING], ["phone", "tells-hidden"]), strict=True)


def test_a_refusal_says_how_to_confirm() -> None:
    with pytest.raises(CautionError, match=r"--confirm phone --confirm 'no name'"):
        refuse([ERROR, Caution("near-unique", "error", ("no name",), 1, "Found.", "Do.")], strict=False)


def test_a_misspelt_confirmation_is_refused() -> None:
    check_confirmed(["phone", "near-unique"], ["phone"], ["near-unique"])
    with pytest.raises(ParameterError, match="'fone' cannot be confirmed"):
        check_confirmed(["fone"], ["phone"], ["near-unique"])


def test_a_share_is_never_rounded_to_nothing_or_to_all() -> None:
    assert [percent(part, 10_000) for part in (0, 1, 24, 1_000, 9_999, 10_000)] == [
        "0 %",
        "under 0.1 %",
        "0.2 %",
        "10 %",
        "over 99.9 %",
        "100 %",
    ]


def test_the_page_about_cautions_has_them_all() -> None:
    page = (Path(__file__).parents[3] / "docs/how-to/cautions.md").read_text(encoding="utf-8")
    for code in CODES:
        assert f"| `{code}` |" in page


def test_cautions_of_one_severity_come_in_a_fixed_order() -> None:
    assert list(BEFORE) == [
        *("code-as-number", "few-numbers", "code-as-category", "bands", "short-codes", "row-numbers", "reading"),
        *("missing-codes", "odd-ages", "same-words", "numbers-as-text", "dates-as-text", "learned-hierarchy"),
        *("new-values", "pseudonyms", "near-unique"),
    ]
    assert list(AFTER) == [
        *("sensitive-unprotected", "minimizes-label", "look-alikes", "own-levels", "lost-column"),
        *("several-rows-per-person", "repeated-rows", "tells-hidden", "unique-rows"),
    ]
