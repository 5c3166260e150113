"""The Lands End table against Figure 9 of the Incognito paper."""

from __future__ import annotations

import pyarrow as pa
import pytest
from tests.datasets.helpers import cardinalities, heights, plain

from sfumato.datasets import lands_end
from sfumato.datasets.lands_end import FULL_SIZE
from sfumato.errors import ParameterError

FIGURE_9 = {
    "zipcode": (31953, 5),
    "order_date": (320, 3),
    "gender": (2, 1),
    "style": (1509, 1),
    "price": (346, 4),
    "quantity": (1, 1),
    "cost": (1412, 4),
    "shipment": (2, 1),
}


def test_at_full_size_every_value_occurs():
    assert FULL_SIZE == 4_591_581
    dataset = lands_end(rows=FULL_SIZE)
    assert cardinalities(dataset) == {column: count for column, (count, _) in FIGURE_9.items()}


@pytest.mark.parametrize("rows", [1, 500])
def test_heights_are_those_of_the_paper_at_any_size(rows):
    assert heights(lands_end(rows)) == {column: height for column, (_, height) in FIGURE_9.items()}


def test_same_seed_same_orders_other_seed_others():
    assert lands_end(1000, seed=5).table.equals(lands_end(1000, seed=5).table)
    assert not lands_end(1000, seed=5).table.equals(lands_end(1000, seed=6).table)


def test_no_rows_are_refused():
    with pytest.raises(ParameterError, match="'rows' parameter of lands_end"):
        lands_end(0)


def test_types_keep_leading_zeros_and_dates():
    table = lands_end(20_000).table
    assert {len(code) for code in plain(table.column("zipcode")).to_pylist()} == {5}
    assert min(plain(table.column("zipcode")).to_pylist()).startswith("0")
    assert table.schema.field("order_date").type == pa.date32()


def test_price_goes_with_cost_and_style_and_shipment_with_the_season():
    frame = lands_end(50_000).to_pandas()
    assert frame["price"].corr(frame["cost"]) > 0.8
    assert frame.groupby("style", observed=True)["cost"].nunique().max() == 1
    december = frame["order_date"].map(lambda day: day.month == 12)
    express = frame["shipment"] == "Express"
    assert express[december].mean() > express[~december].mean() + 0.1


def test_what_is_popular_is_much_more_popular():
    frame = lands_end(200_000).to_pandas()
    counts = frame["style"].value_counts()
    assert counts.iloc[:150].sum() > 0.35 * counts.sum()
    assert set(frame["price"].astype(str).str.len()) == {3, 4}
