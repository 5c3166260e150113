"""The encoded table: taking rows, and a digest that tells every change."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.helpers import microdata_strategy, table_strategy

from sfumato.table.encoding import encode

CELLS = {"age": [1, 2, 3, 2], "zip": ["a", "b", None, "b"], "disease": ["flu", None, "flu", "gout"]}


def digest(cells, key=b"key"):
    return encode(pa.table(cells), {"age": None, "zip": None}, ["disease"]).digest(key)


@pytest.mark.parametrize("column", CELLS)
@pytest.mark.parametrize("row", range(4))
def test_any_changed_cell_changes_the_digest(column, row):
    for other in (None, *CELLS[column], 9 if column == "age" else "zzz"):
        changed = {name: list(cells) for name, cells in CELLS.items()}
        changed[column][row] = other
        assert (digest(changed) == digest(CELLS)) == (changed == CELLS)


@settings(max_examples=examples(40))
@given(table_strategy(rows=(2, 8)), st.data())
def test_the_order_of_rows_is_part_of_the_content(table, data):
    microdata = table.encoded()
    order = np.array(data.draw(st.permutations(range(len(table)))))
    permuted = microdata.take(order)
    same = (permuted.codes == microdata.codes).all() and all(
        (new.codes == old.codes).all() for new, old in zip(permuted.sensitive, microdata.sensitive, strict=True)
    )
    assert (permuted.digest(b"x") == microdata.digest(b"x")) == same


def test_names_are_part_of_the_content():
    renamed = {"age": CELLS["age"], "zip": CELLS["zip"], "illness": CELLS["disease"]}
    assert encode(pa.table(renamed), {"age": None, "zip": None}, ["illness"]).digest(b"key") != digest(CELLS)


def test_the_same_content_has_the_same_digest():
    assert digest(CELLS) == digest({name: list(cells) for name, cells in CELLS.items()})


def test_another_key_gives_another_digest():
    assert len({digest(CELLS, key) for key in (b"key", b"Key", b"keys", b"")}) == 4


def test_a_missing_value_is_not_the_text_none():
    assert digest({**CELLS, "zip": ["a", "b", "None", "b"]}) != digest(CELLS)


@settings(max_examples=examples(40))
@given(microdata_strategy(rows=(2, 12), sensitive=2), st.data())
def test_taking_rows_keeps_the_domains(microdata, data):
    rows = np.array(data.draw(st.lists(st.integers(0, len(microdata) - 1), max_size=9)), np.int64)
    taken = microdata.take(rows)
    assert taken.domains is microdata.domains
    assert taken.codes.dtype == microdata.codes.dtype
    assert taken.codes.tolist() == microdata.codes[rows].tolist()
    for new, old in zip(taken.sensitive, microdata.sensitive, strict=True):
        assert new.codes.tolist() == old.codes[rows].tolist()
        assert new.counts().sum() == len(rows)
        assert len(new.counts()) == old.size


@settings(max_examples=examples(40))
@given(microdata_strategy(rows=(2, 12)), st.data())
def test_a_mask_takes_the_same_rows_as_their_numbers(microdata, data):
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(microdata), max_size=len(microdata))))
    assert microdata.take(mask).digest(b"x") == microdata.take(np.flatnonzero(mask)).digest(b"x")
