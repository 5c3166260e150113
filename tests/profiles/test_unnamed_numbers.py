"""Numbers of people under names that say nothing, as national numbers of any country may be."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

import sfumato as sf

#: What numbers of people look like: # a digit, ? a letter.
FORMS = ("########", "0########", "##########", "#############", "?????####?", "##-####-###")


def numbers(form: str, draw: random.Random) -> list[str]:
    signs = {"#": "0123456789", "?": "ABCDEFGHJKLM"}
    return ["".join(draw.choice(signs.get(sign, sign)) for sign in form) for _ in range(60)]


@pytest.mark.parametrize("name", ["x1", "q7", "var_b", "kind"])
@pytest.mark.parametrize("times", [1, 3])
def test_numbers_of_people_are_left_out_whatever_the_column_is_called(name: str, times: int) -> None:
    draw = random.Random(7)
    for form in FORMS:
        texts = numbers(form, draw) * times
        columns = [pa.array(texts)]
        if set(form) <= set("#0"):
            columns.append(pa.array([int(text) for text in texts]))
        for column in columns:
            table = pa.table({name: column, "group": [row % 3 for row in range(len(texts))]})
            assert sf.profile(table).roles[name] in {"identifier", "person"}, (form, str(column.type))


@pytest.mark.parametrize(
    "values",
    [
        [round(20_000 * 1.011**step, 2) for step in range(180)],
        [1000 * step for step in range(20, 200)],
        [202000 + month for month in range(1, 13)] * 15,
    ],
    ids=["amounts", "rounded", "months"],
)
def test_amounts_and_months_are_no_numbers_of_people(values: list[float]) -> None:
    assert sf.profile(pa.table({"x1": values})).roles["x1"] not in {"identifier", "person"}
