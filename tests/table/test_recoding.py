"""Equivalence classes of classes and of levels, against groups in a dict."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.helpers import microdata_strategy, table_strategy
from tests.reference import SlowHierarchy

from sfumato.common import rows as rows_module
from sfumato.errors import VerificationError
from sfumato.table import recoding as recoding_module
from sfumato.table.encoding import encode
from sfumato.table.recoding import SUPPRESSED, EquivalenceClasses, Recoding, rows_by_class


@given(st.lists(st.sampled_from([SUPPRESSED, 0, 1, 4]), min_size=1))
def test_rows_by_class_are_those_of_a_dict(of_row):
    rows, begins = rows_by_class(np.array(of_row, np.int32))
    assert len(begins) == max(of_row) + 2
    found = [rows[begin:end].tolist() for begin, end in pairwise(begins)]
    assert found == [[row for row, name in enumerate(of_row) if name == number] for number in range(max(of_row) + 1)]


@settings(max_examples=examples(40))
@given(microdata_strategy(), st.data())
def test_classes_span_their_rows_whatever_their_numbers(microdata, data):
    """Numbers may have gaps; rows may be left out."""
    number = st.sampled_from([SUPPRESSED, 0, 2, 3, 9])
    of_row = np.array(data.draw(st.lists(number, min_size=len(microdata), max_size=len(microdata))), np.int32)
    classes = EquivalenceClasses.of(microdata, Recoding(classes=of_row))
    rows_of = defaultdict(list)
    for row, name in enumerate(of_row):
        rows_of[name].append(row)
    suppressed = rows_of.pop(SUPPRESSED, [])
    assert classes.suppressed == len(suppressed)
    assert len(classes) == len(rows_of)
    for group, (_, rows) in enumerate(sorted(rows_of.items())):
        assert np.flatnonzero(classes.of_row == group).tolist() == rows
        assert classes.sizes[group] == len(rows)
        assert classes.lo[group].tolist() == microdata.codes[rows].min(axis=0).tolist()
        assert classes.hi[group].tolist() == microdata.codes[rows].max(axis=0).tolist()
    assert (classes.of_row[suppressed] == SUPPRESSED).all()


@settings(max_examples=examples(40))
@given(table_strategy(), st.data())
def test_levels_put_together_what_has_one_name(table, data):
    microdata = table.encoded()
    slow = [SlowHierarchy(how, table.cells[name]) for name, how in table.hierarchies.items()]
    levels = tuple(data.draw(st.integers(0, domain.top)) for domain in microdata.domains)
    suppressed = np.array(data.draw(st.lists(st.booleans(), min_size=len(table), max_size=len(table))))
    classes = EquivalenceClasses.of(microdata, Recoding(levels=levels, suppressed=suppressed))
    groups = defaultdict(list)
    for row, cells in enumerate(zip(*table.cells.values(), strict=True)):
        if not suppressed[row]:
            names = [tree.paths[cell][level:] for tree, cell, level in zip(slow, cells, levels, strict=True)]
            groups[tuple(names)].append(row)
    assert classes.levels == levels
    assert classes.suppressed == suppressed.sum()
    assert sorted(np.flatnonzero(classes.of_row == group).tolist() for group in range(len(classes))) == sorted(
        groups.values()
    )
    for at, (tree, domain, cells) in enumerate(zip(slow, microdata.domains, table.cells.values(), strict=True)):
        values = domain.values.to_pylist() + [None] * domain.has_missing
        for group in range(len(classes)):
            shown = set(values[classes.lo[group, at] : classes.hi[group, at] + 1])
            member = cells[int(np.flatnonzero(classes.of_row == group)[0])]
            assert shown == tree.group(member, levels[at])


@settings(max_examples=examples(40))
@given(microdata_strategy())
def test_nothing_suppressed_is_the_same_as_saying_nothing(microdata):
    levels = tuple(domain.top for domain in microdata.domains)
    silent = EquivalenceClasses.of(microdata, Recoding(levels=levels))
    spoken = EquivalenceClasses.of(microdata, Recoding(levels=levels, suppressed=np.zeros(len(microdata), bool)))
    assert silent.sizes.tolist() == spoken.sizes.tolist() == [len(microdata)]
    assert silent.lo.tolist() == [[0] * len(levels)]
    assert silent.hi.tolist() == [[domain.size - 1 for domain in microdata.domains]]


@settings(max_examples=examples(40))
@given(microdata_strategy())
def test_everything_can_be_suppressed(microdata):
    nobody = np.full(len(microdata), SUPPRESSED, np.int32)
    top = tuple(domain.top for domain in microdata.domains)
    for recoding in (Recoding(classes=nobody), Recoding(levels=top, suppressed=np.ones(len(microdata), bool))):
        classes = EquivalenceClasses.of(microdata, recoding)
        assert len(classes) == 0
        assert classes.suppressed == len(microdata)


def test_a_recoding_is_either_classes_or_levels():
    with pytest.raises(TypeError, match="either classes or levels"):
        Recoding()
    with pytest.raises(TypeError, match="either classes or levels"):
        Recoding(classes=np.zeros(1, np.int32), levels=(0,))


def codes(*rows):
    return np.array(rows, np.int64)


@pytest.mark.parametrize(
    ("recoding", "message"),
    [
        ({"classes": np.zeros(3, np.int32)}, "classes of shape \\(3,\\) and type int32 for 4 rows"),
        ({"classes": np.zeros(5, np.int32)}, "shape \\(5,\\)"),
        ({"classes": np.zeros((4, 1), np.int32)}, "shape \\(4, 1\\)"),
        ({"classes": np.zeros(4)}, "type float64"),
        ({"classes": np.array([0, -2, 0, 0])}, "the class -2; classes are numbered from 0"),
        (
            {"classes": np.array([0, 2**31 - 2, 0, 0])},
            "the class 2,147,483,646 for 4 rows",
        ),
        ({"classes": np.array([0, 0, 1, 1]), "bounds": (codes([0, 0]), codes([1, 1]))}, "bounds"),
        ({"classes": np.zeros(4, int), "bounds": (codes([0]), codes([1]))}, "bounds"),
        ({"classes": np.zeros(4, int), "bounds": (codes([0, -1]), codes([1, 1]))}, "bounds"),
        ({"classes": np.zeros(4, int), "bounds": (codes([0, 0]), codes([1, 2]))}, "bounds"),
        ({"classes": np.zeros(4, int), "bounds": (codes([1, 0]), codes([0, 1]))}, "bounds"),
        ({"levels": (0,)}, "the levels \\(0,\\) for quasi-identifiers with \\[2, 2\\] levels"),
        ({"levels": (0, 2)}, "the levels"),
        ({"levels": (-1, 0)}, "the levels"),
        ({"levels": (0, 0), "suppressed": np.zeros(3, bool)}, "a mark of shape \\(3,\\)"),
        ({"levels": (0, 0), "suppressed": np.zeros(4, int)}, "a mark of shape"),
    ],
)
def test_what_does_not_fit_the_table_is_refused_as_the_methods_fault(recoding, message):
    table = pa.table({"a": ["x", "y", "x", "y"], "b": ["u", "u", "v", "v"]})
    microdata = encode(table, {"a": None, "b": None})
    with pytest.raises(VerificationError, match=f"The method returned .*{message}.*a fault of the method"):
        EquivalenceClasses.of(microdata, Recoding(**recoding))


@pytest.mark.parametrize("few", [1, 100])
def test_long_tables_have_the_bounds_that_short_ones_have(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(3)
    codes = random.integers(0, 2**16, (300, 3)).astype(np.uint16)
    of_row = random.integers(-1, 40, 300).astype(np.int32)
    of_row[of_row == 7] = 8  # nobody is in class 7
    expected = recoding_module.bounds_of_classes(codes, of_row, 41)
    monkeypatch.setattr(rows_module, "STRETCH", 50)
    for name, value in {"LONG": 1, "FEW_CLASSES": few}.items():
        monkeypatch.setattr(recoding_module, name, value)
    for found, side in zip(recoding_module.bounds_of_classes(codes, of_row, 41), expected, strict=True):
        assert found.tolist() == side.tolist()
        assert found.dtype == np.int64
