"""A made-up mail-order business with the shape of the Lands End table."""

from __future__ import annotations

import datetime
from functools import cache
from itertools import islice, product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.datasets.dataset import Dataset
from sfumato.datasets.sampling import Columns, Conditional, Floats, in_blocks, labelled
from sfumato.hierarchies import Categorical, Dates, Hierarchy, Numeric, Prefix

#: The size of the real table.
FULL_SIZE = 4_591_581

ZIPCODES, DAYS, STYLES, PRICES, COSTS = 31_953, 320, 1_509, 346, 1_412
_FIRST_ZIPCODE, _LAST_ZIPCODE = 501, 99_950
# Early enough that 320 days include the season before the holidays.
_FIRST_DAY = datetime.date(2003, 2, 15)
_DISCOUNTED = 0.15

_CUTS = ("Slim", "Regular", "Relaxed", "Long", "Petite", "Tall", "Plus-size", "Classic", "Tailored")
_FABRICS = (
    *("cotton", "linen", "wool", "cashmere", "fleece", "denim"),
    *("flannel", "silk", "corduroy", "jersey", "oxford", "twill"),
)
_GARMENTS = (
    *("shirt", "blouse", "sweater", "cardigan", "jacket", "coat", "trousers"),
    *("shorts", "skirt", "dress", "pyjamas", "robe", "scarf", "vest"),
)

_HIERARCHIES: dict[str, Hierarchy] = {
    "zipcode": Prefix(),
    "order_date": Dates(levels=("month", "quarter")),
    "gender": Categorical(),
    "style": Categorical(),
    "price": Numeric(widths=(10, 100, 1000)),
    "quantity": Categorical(),
    "cost": Numeric(widths=(10, 100, 1000)),
    "shipment": Categorical(),
}


class _Shop(NamedTuple):
    """What does not depend on the seed: the catalogue, the map, the calendar."""

    zipcodes: list[str]
    styles: list[str]
    prices: npt.NDArray[np.int16]
    style_price: npt.NDArray[np.int64]
    style_cost: npt.NDArray[np.int16]
    zipcode: Conditional
    day: Conditional
    style: Conditional


def lands_end(rows: int = 100_000, seed: int = 0) -> Dataset:
    """Make up the orders of a clothing business: eight quasi-identifiers.

    Attributes, numbers of distinct values and heights of hierarchies are those of the Lands End table in
    LeFevre, DeWitt and Ramakrishnan, *Incognito: Efficient Full-Domain K-Anonymity*, SIGMOD 2005, Figure 9;
    all contents are made up. ``price`` and ``cost`` are whole numbers of at most four digits, in cents, and
    lose one digit per level.

    Parameters
    ----------
    rows
        The number of orders. The real table has 4,591,581; at that size every value occurs.
    seed
        The same seed gives the same orders; a shorter table is the beginning of a longer one.

    Examples
    --------
    >>> lands_end(rows=10).table.num_columns
    8
    """
    columns = in_blocks("lands_end", rows, seed, _orders)
    shop = _shop()
    labels = {
        "zipcode": shop.zipcodes,
        "gender": ["Female", "Male"],
        "style": shop.styles,
        "shipment": ["Standard", "Express"],
    }
    arrays = {
        name: labelled(values, labels[name]) if name in labels else pa.array(values) for name, values in columns.items()
    }
    arrays["order_date"] = arrays["order_date"].cast(pa.date32())
    return Dataset.of("lands_end", pa.table(arrays), dict(_HIERARCHIES))


def _orders(rng: np.random.Generator, size: int) -> Columns:
    shop = _shop()
    day = shop.day.draw(rng, size=size)
    gender = (rng.random(size) < 0.32).astype(np.int8)
    style = shop.style.draw(rng, gender)
    discount = np.where(rng.random(size) < _DISCOUNTED, rng.integers(5, 60, size), 0)
    price = shop.prices[np.maximum(shop.style_price[style] - discount, 0)]
    # Expensive things are sent faster, and everything is in the last three weeks.
    express = 0.08 + 0.12 * (price > 6000) + 0.35 * (day >= DAYS - 21)
    return {
        "zipcode": shop.zipcode.draw(rng, size=size).astype(np.int16),
        "order_date": (day + _FIRST_DAY.toordinal() - datetime.date(1970, 1, 1).toordinal()).astype(np.int32),
        "gender": gender,
        "style": style.astype(np.int16),
        "price": price,
        "quantity": np.ones(size, np.int8),
        "cost": shop.style_cost[style],
        "shipment": (rng.random(size) < express).astype(np.int8),
    }


@cache
def _shop() -> _Shop:
    rng = np.random.default_rng(2005)
    style_price, style_cost = _price_tags(rng)
    codes = np.sort(rng.choice(np.arange(_FIRST_ZIPCODE, _LAST_ZIPCODE + 1), ZIPCODES, replace=False))
    styles = (" ".join(words) for words in product(_CUTS, _FABRICS, _GARMENTS))
    return _Shop(
        zipcodes=[f"{code:05d}" for code in codes],
        styles=list(islice(styles, STYLES)),
        prices=_retail_prices(),
        style_price=style_price,
        style_cost=style_cost,
        zipcode=Conditional(np.clip(rng.lognormal(sigma=0.8, size=ZIPCODES), 0.3, 10)),
        day=Conditional(_season(rng)),
        style=Conditional(_demand(rng)),
    )


def _retail_prices() -> npt.NDArray[np.int16]:
    """List the prices that shops like: 5.00, 5.50, 5.95, 5.99, 6.00, …, in cents."""
    tags = [dollars * 100 + cents for dollars in range(5, 100) for cents in (0, 50, 95, 99)]
    return np.array(tags[:PRICES], dtype=np.int16)


def _price_tags(rng: np.random.Generator) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int16]]:
    """Give every style a price (by number) and a cost that mostly goes with it, leaving none out."""
    style_price = rng.permutation(np.arange(STYLES) % PRICES)
    rank = np.argsort(np.argsort(style_price + rng.normal(scale=30, size=STYLES)))
    costs = 150 + np.cumsum(rng.integers(1, 6, COSTS))
    return style_price, costs[rank * COSTS // STYLES].astype(np.int16)


def _season(rng: np.random.Generator) -> Floats:
    """Weigh the days by how much is ordered: most before the holidays, least at weekends."""
    day = np.arange(DAYS)
    weekend = (day + _FIRST_DAY.weekday()) % 7 >= 5
    holidays = 1 + 2.5 * np.exp(-(((day - (DAYS - 22)) / 14) ** 2))
    return np.asarray(holidays * np.where(weekend, 0.6, 1.0) * rng.uniform(0.8, 1.2, DAYS))


def _demand(rng: np.random.Generator) -> Floats:
    """Weigh the styles by how often women and men order them: few are common, and each has its bias."""
    popularity = rng.permutation(1 / (np.arange(STYLES) + 20))
    lean = rng.choice([0.2, 0.5, 0.8], STYLES)
    return np.asarray(popularity * np.stack([lean, 1 - lean]), dtype=np.float64)
