"""One attribute with a taxonomy: the optimum of all partitions, for any number of rows."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.methods.linear.twins import cheapest_of_all_partitions, loss_of

import sfumato as sf
from sfumato.hierarchies import Categorical, Taxonomy
from sfumato.methods import Task
from sfumato.methods.linear import tree_column
from sfumato.methods.linear.tree_column import cheapest_classes
from sfumato.privacy import KAnonymity, Requirements
from sfumato.table.encoding import encode
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import EquivalenceClasses, Recoding

VALUES = [f"v{at}" for at in range(7)]
FLAT = Categorical()
EVEN = Taxonomy.from_dict({"a": VALUES[:3], "b": VALUES[3:]})
UNEVEN = Taxonomy.from_dict({"a": {"b": VALUES[:2], "c": VALUES[2:3]}, "d": {"e": VALUES[3:5], "f": VALUES[5:]}})


def column(values: list[str], how: Taxonomy | Categorical) -> Microdata:
    return encode(pa.table({"q": values}), {"q": how})


@given(
    st.lists(st.sampled_from(VALUES), min_size=1, max_size=9),
    st.sampled_from([FLAT, EVEN, UNEVEN]),
    st.integers(1, 5),
)
def test_no_partition_loses_less(values: list[str], how: Taxonomy | Categorical, k: int) -> None:
    microdata = column(values, how)
    k = min(k, len(microdata))
    parts = cheapest_classes(microdata.codes[:, 0], microdata.domains[0], k)
    assert sorted(np.concatenate(parts)) == list(range(len(microdata)))
    assert min(map(len, parts)) >= k
    assert max(map(len, parts)) < 2 * k
    lost = sum(loss_of(microdata, part.tolist()) for part in parts)
    assert lost == pytest.approx(cheapest_of_all_partitions(microdata, k))


def gcp(microdata: Microdata, method: sf.Hilbert, k: int) -> float:
    recoding = method.run(Task(microdata, Requirements((KAnonymity(k),), microdata)))
    classes = EquivalenceClasses.of(microdata, Recoding(classes=recoding.classes))
    assert classes.sizes.min() >= k
    return float(classes.sizes @ microdata.domains[0].span_costs(classes.lo[:, 0], classes.hi[:, 0])) / len(microdata)


def test_rare_values_of_a_long_flat_column_share_one_class() -> None:
    # Twenty values that occur once lie between frequent ones. Together they lose 20 rows; with their neighbours on any
    # line each would lose ten.
    values = [f"{at:02}{kind}" for at in range(20) for kind in ["a"] * 100 + ["b"]]
    microdata = column(values, FLAT)
    for method in (sf.Hilbert(), sf.CostAware()):
        assert gcp(microdata, method, 10) == pytest.approx(20 / len(values))


def test_a_tree_that_is_too_large_for_k_is_cut_into_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    values = [f"{at:02}{kind}" for at in range(20) for kind in ["a"] * 100 + ["b"]]
    microdata = column(values, FLAT)
    monkeypatch.setattr(tree_column, "MOST_TRIES", 10)
    assert gcp(microdata, sf.Hilbert(), 10) > 20 / len(values)
