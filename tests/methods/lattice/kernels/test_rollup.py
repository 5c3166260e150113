"""Packed frequency sets against counting rows one by one, for keys of one word and of several."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.hierarchies import Domain, Numeric
from sfumato.loss import METRICS
from sfumato.methods.lattice.frequencies import Roller
from sfumato.methods.lattice.kernels.level_boxes import fill_box, open_box
from sfumato.methods.lattice.kernels.node_sweep import CLASSES, COST, SQUARES, SUPPRESSED, measure_node, sweep
from sfumato.methods.lattice.kernels.rollup_in_parts import MANY
from sfumato.methods.lattice.scores import Marginals
from sfumato.table.microdata import Microdata

WIDTHS = ((2, 4, 8), (3, 9), (5,), (2, 6), (4, 16))


def domains_of(columns: np.ndarray) -> tuple[list[Domain], np.ndarray]:
    import pyarrow as pa  # noqa: PLC0415

    domains, codes = [], np.empty(columns.shape, np.uint16)
    for at, column in enumerate(columns.T):
        values, places = np.unique(column, return_inverse=True)
        fitted = Numeric(widths=WIDTHS[at % len(WIDTHS)]).fit(f"q{at}", pa.array(values), has_missing=False)
        domains.append(fitted.domain)
        codes[:, at] = fitted.codes[places]
    return domains, codes


def random_table(seed: int, attributes: int, spread: int, rows: int = 200) -> tuple[list[Domain], np.ndarray]:
    random = np.random.default_rng(seed)
    return domains_of(random.integers(0, spread, (rows, attributes)))


def generalized(domains: list[Domain], codes: np.ndarray, levels: tuple[int, ...]) -> Counter:
    """Count the rows at a node, the obvious way."""
    groups = [
        domain.levels[level].groups[codes[:, at]]
        for at, (domain, level) in enumerate(zip(domains, levels, strict=True))
    ]
    return Counter(zip(*(group.tolist() for group in groups), strict=True))


def unpacked(roller: Roller, keys: np.ndarray, counts: np.ndarray, attributes: int) -> Counter:
    """Read the fields of keys back."""
    found: Counter = Counter()
    for key, count in zip(keys.tolist(), counts.tolist(), strict=True):
        fields = roller.layout.fields[:attributes].tolist()
        found[tuple((key[word] >> shift) & mask for word, shift, mask in fields)] += count
    return found


def random_levels(random: np.random.Generator, low: tuple[int, ...], roller: Roller) -> tuple[int, ...]:
    return tuple(int(random.integers(first, top + 1)) for first, top in zip(low, roller.top, strict=True))


@given(
    seed=st.integers(0, 10_000), attributes=st.integers(1, 5), spread=st.sampled_from([2, 9, 60]), wide=st.booleans()
)
def test_rolled_up_counts_are_those_of_the_rows(seed: int, attributes: int, spread: int, wide: bool) -> None:
    # Fifteen attributes of up to 60 values do not fit one word.
    domains, codes = random_table(seed, attributes + 12 * wide, spread)
    roller = Roller(domains, smallest=3)
    random = np.random.default_rng(seed)
    middle = random_levels(random, roller.bottom, roller)
    high = random_levels(random, middle, roller)
    keys = roller.pack(codes, np.empty((len(codes), 0), np.int32))
    for counted in (roller.scan(keys, None, high), roller.up(roller.scan(keys, None, middle), high)):
        expected = generalized(domains, codes, high)
        assert unpacked(roller, counted.keys, counted.counts, len(domains)) == expected
        assert len(counted) == len(expected)
        assert counted.small == sum(count for count in expected.values() if count < 3)
    of_key, classes = roller.classes(keys, roller.bottom, high)
    assert classes == len(expected)
    assert sorted(np.bincount(of_key)) == sorted(expected.values())


def test_many_different_keys_are_counted_in_parts() -> None:
    domains, _ = random_table(1, 4, 60)
    roller = Roller(domains, smallest=3)
    random = np.random.default_rng(1)
    codes = np.stack([random.integers(0, domain.size, 3 * MANY) for domain in domains], axis=1).astype(np.uint8)
    codes[: MANY // 2] = codes[0]
    keys = roller.pack(codes, np.empty((len(codes), 0), np.int32))
    for levels in (roller.bottom, (1, *roller.bottom[1:])):
        values, expected = np.unique(generalized_codes(domains, codes, levels), axis=0, return_counts=True)
        assert len(values) > MANY
        found = roller.scan(keys, None, levels)
        again = roller.scan(keys, None, levels, in_order=True)
        assert sorted(found.keys[:, 0].tolist()) == sorted(again.keys[:, 0].tolist())
        order, other = np.argsort(found.keys[:, 0]), np.argsort(again.keys[:, 0])
        assert (found.counts[order] == again.counts[other]).all()
        assert sorted(found.counts.tolist()) == sorted(expected.tolist())
        assert found.small == again.small == expected[expected < 3].sum()
    of_key, _ = roller.classes(keys, roller.bottom, roller.bottom)
    # Asked for in order, the groups come as their first rows do.
    in_order = roller.scan(keys, None, roller.bottom, in_order=True)
    assert (in_order.keys[of_key] == keys).all()


def generalized_codes(domains: list, codes: np.ndarray, levels: tuple[int, ...]) -> np.ndarray:
    columns = [
        domain.levels[level].groups[codes[:, at]]
        for at, (domain, level) in enumerate(zip(domains, levels, strict=True))
    ]
    return np.stack(columns, axis=1)


def test_wide_keys_take_several_words() -> None:
    domains, _ = random_table(0, 15, 60)
    assert Roller(domains).words == 2
    assert Roller(domains[:4]).words == 1


@pytest.mark.parametrize("loss", ["gcp", "precision", "height", "entropy", "dm"])
@given(seed=st.integers(0, 10_000), attributes=st.integers(1, 4), k=st.integers(1, 6))
def test_a_sweep_finds_what_counting_each_node_finds(loss: str, seed: int, attributes: int, k: int) -> None:
    domains, codes = random_table(seed, attributes, 12, rows=80)
    roller = Roller(domains, smallest=k)
    keys = roller.pack(codes, np.empty((len(codes), 0), np.int32))
    base = roller.scan(keys, None, roller.bottom)
    microdata = Microdata(codes, tuple(domains))
    costs = Marginals(microdata, microdata.marginals, k).costs(METRICS[loss])
    bounds = np.array([roller.bottom, roller.top])
    found = sweep(base.keys[:, 0], base.counts, roller.layout, bounds, 0, k, costs)
    shape = [top + 1 for top in roller.top]
    for place, levels in enumerate(np.ndindex(*shape)):
        classes = generalized(domains, codes, levels)
        kept = {group: size for group, size in classes.items() if size >= k}
        assert found[place, SUPPRESSED] == len(codes) - sum(kept.values())
        assert found[place, CLASSES] == len(kept)
        assert found[place, SQUARES] == sum(size * size for size in kept.values())
        expected = sum(size * cost_of(costs, levels, group) for group, size in kept.items())
        assert found[place, COST] == pytest.approx(expected, abs=1e-9)
        counted = roller.up(base, levels)
        again = measure_node(counted.keys, counted.counts, roller.layout, np.array(levels), counted.counts >= k, costs)
        assert again == pytest.approx(found[place], abs=1e-9)


def cost_of(costs, levels: tuple[int, ...], group: tuple[int, ...]) -> float:
    if not len(costs.cells):
        return 0.0
    return sum(costs.cells[costs.at[at, level] + group[at]] for at, level in enumerate(levels))


@given(seed=st.integers(0, 10_000), shape=st.lists(st.integers(1, 4), min_size=1, max_size=5))
def test_boxes_are_filled_and_shrunk_as_slices_are(seed: int, shape: list[int]) -> None:
    random = np.random.default_rng(seed)
    status = random.integers(0, 2, shape).astype(np.int8)
    ends = np.sort(np.stack([random.integers(0, shape), random.integers(0, shape)]), axis=0)
    window = tuple(slice(low, high + 1) for low, high in ends.T)
    low, high = open_box(status.reshape(-1), np.array(shape), ends, 0)
    places = np.argwhere(status[window] == 0)
    if len(places):
        assert low.tolist() == (ends[0] + places.min(axis=0)).tolist()
        assert high.tolist() == (ends[0] + places.max(axis=0)).tolist()
    else:
        assert (low > high).all()
    expected = status.copy()
    expected[window] = 7
    fill_box(status.reshape(-1), np.array(shape), ends, 7)
    assert (status == expected).all()
