"""Fast data anonymization (2007), from its text: rows on a line, the optimal runs, and the l-diverse heuristic."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from benchmarks.rederived.tables import Attribute, Ints, Reals, matrix

#: Bits of the Hilbert curve for each attribute (Section 6.1).
BITS = 12


def hilbert_order(attributes: Sequence[Attribute]) -> Ints:
    """The rows in the order of a Hilbert curve (Skilling's transform, 2004), every attribute stretched to 12 bits."""
    codes = matrix(attributes)
    tops = np.array([max(1, attribute.size - 1) for attribute in attributes])
    axes = [np.rint(column).astype(np.int64) for column in (codes / tops * ((1 << BITS) - 1)).T]
    many = len(axes)
    bit = 1 << (BITS - 1)
    while bit > 1:
        below = bit - 1
        for at in range(many):
            set_ = (axes[at] & bit) != 0
            swap = np.where(set_, 0, (axes[0] ^ axes[at]) & below)
            axes[0] = np.where(set_, axes[0] ^ below, axes[0] ^ swap)
            axes[at] = axes[at] ^ swap
        bit >>= 1
    for at in range(1, many):
        axes[at] = axes[at] ^ axes[at - 1]
    flip = np.zeros(len(codes), np.int64)
    bit = 1 << (BITS - 1)
    while bit > 1:
        flip ^= np.where((axes[-1] & bit) != 0, bit - 1, 0)
        bit >>= 1
    axes = [axis ^ flip for axis in axes]
    keys = []
    for level in range(BITS - 1, -1, -1):
        key = np.zeros(len(codes), np.int64)
        for axis in axes:
            key = key << 1 | (axis >> level & 1)
        keys.append(key)
    return np.lexsort(keys[::-1])


def runs(attributes: Sequence[Attribute], order: Ints, k: int) -> Ints:
    """Optimal one-dimensional k-anonymity (Figure 3): a class for every row, runs of k to 2k - 1 rows."""
    rows = len(order)
    cost = np.full((rows, k), np.inf)  # of the run that ends at a row and has k + column rows
    for attribute in attributes:
        codes = attribute.codes[order]
        low, high = codes.copy(), codes.copy()
        for back in range(1, 2 * k - 1):
            low[back:] = np.minimum(low[back:], codes[:-back])
            high[back:] = np.maximum(high[back:], codes[:-back])
            if back >= k - 1:
                column = cost[:, back + 1 - k]
                add = (back + 1) * attribute.loss[low, high]
                cost[:, back + 1 - k] = np.where(np.isinf(column), add, column + add)
    for more in range(k):
        cost[: k + more - 1, more] = np.inf
    best = np.full(rows + 1, np.inf)
    best[0] = 0.0
    taken = np.zeros(rows + 1, np.int64)
    for end in range(k, rows + 1):
        most = min(k, end - k + 1)
        choices = best[end - k - most + 1 : end - k + 1][::-1] + cost[end - 1, :most]
        at = int(choices.argmin())
        best[end], taken[end] = choices[at], k + at
    classes = np.zeros(rows, np.int64)
    end = rows
    while end > 0:
        classes[order[end - taken[end] : end]] = end
        end -= taken[end]
    return classes


def diverse_groups(order: Ints, sensitive: Ints, diversity: int) -> Ints:
    """The l-diverse heuristic of Figure 8, the optimization of Figure 9 left out; a class for every row."""
    values = int(sensitive.max()) + 1
    buckets: list[list[int]] = [[] for _ in range(values)]
    for place, row in enumerate(order.tolist()):
        buckets[sensitive[row]].append(place)
    held = np.array([len(bucket) for bucket in buckets])
    ahead = [0] * values
    frontier = [(bucket[0], value) for value, bucket in enumerate(buckets) if bucket]
    heapq.heapify(frontier)
    classes, made, remaining = np.zeros(len(order), np.int64), 0, len(order)

    def eligible(chosen: list[tuple[int, int]]) -> bool:
        left = held.copy()
        left[[value for _, value in chosen]] -= 1
        return bool(left.max() * diversity <= remaining - len(chosen))

    while remaining:
        chosen = [heapq.heappop(frontier) for _ in range(min(diversity, len(frontier)))]
        while not eligible(chosen) and frontier:
            chosen.append(heapq.heappop(frontier))
        if not eligible(chosen):
            everything = sorted([*chosen, *frontier], key=lambda one: (-held[one[1]], one[0]))
            count = diversity
            while not eligible(everything[:count]):
                count += 1
            chosen, frontier = everything[:count], everything[count:]
            heapq.heapify(frontier)
        for place, value in chosen:
            classes[order[place]] = made
            held[value] -= 1
            ahead[value] += 1
            if ahead[value] < len(buckets[value]):
                heapq.heappush(frontier, (buckets[value][ahead[value]], value))
        remaining -= len(chosen)
        made += 1
    return classes


def anatomy(sensitive: Ints, diversity: int, seed: int = 0) -> Ints:
    """Anatomy: buckets of one row each from the l largest lists; the few rows left join buckets without their value."""
    random = np.random.default_rng(seed)
    lists = [random.permutation(np.flatnonzero(sensitive == value)).tolist() for value in range(sensitive.max() + 1)]
    classes, members = np.full(len(sensitive), -1), []
    while sum(1 for rows in lists if rows) >= diversity:
        largest = heapq.nlargest(
            diversity, (value for value, rows in enumerate(lists) if rows), lambda v: len(lists[v])
        )
        for value in largest:
            classes[lists[value].pop()] = len(members)
        members.append(set(largest))
    for value, rows in enumerate(lists):
        for row in rows:
            home = next(at for at in random.permutation(len(members)) if value not in members[at])
            classes[row] = home
            members[home].add(value)
    return classes


def divergence(
    attributes: Sequence[Attribute], sensitive: Ints, classes: Ints, level: int, exact: bool = False
) -> float:
    """KL divergence of the cube's group-bys over so many attributes (Section 6.3), their mean; Anatomy is exact.

    A class is spread evenly over the product of what it shows: a range of numbers, or all values below a node.
    """
    size = int(sensitive.max()) + 1
    order = np.argsort(classes, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(classes[order]) != 0])
    of_row = np.repeat(np.arange(len(starts)), np.diff(np.r_[starts, len(order)]))
    pairs, inverse = np.unique(of_row * size + sensitive[order], return_inverse=True)
    many = np.bincount(inverse)
    group, value = pairs // size, pairs % size
    total = np.bincount(of_row)
    found = []
    for chosen in combinations(range(len(attributes)), level):
        shape = tuple(attributes[at].size for at in chosen)
        true_cells = np.ravel_multi_index([attributes[at].codes for at in chosen] + [sensitive], (*shape, size))
        if exact:
            at_cell = np.ravel_multi_index([attributes[at].codes[order] for at in chosen], shape)
            spread = np.zeros((int(np.prod(shape)), size))
            for one in range(size):
                share = np.zeros(len(starts))
                share[group[value == one]] = many[value == one]
                spread[:, one] = np.bincount(at_cell, (share / total)[of_row], minlength=len(spread))
            estimate = spread.ravel()
        else:
            estimate = _spread([attributes[at] for at in chosen], order, starts, group, value, many, size).ravel()
        truth = np.bincount(true_cells, minlength=len(estimate)) / len(order)
        there = truth > 0
        found.append(float((truth[there] * np.log(truth[there] / (estimate[there] / len(order)))).sum()))
    return float(np.mean(found))


def _spread(
    attributes: Sequence[Attribute], order: Ints, starts: Ints, group: Ints, value: Ints, many: Ints, size: int
) -> Reals:
    """Sum the even spreads of all classes: differences at the corners of their boxes, then running sums."""
    corners: list[tuple[Ints, Ints]] = []
    volume = np.ones(len(starts))
    for attribute in attributes:
        codes = attribute.codes[order]
        low, high = np.minimum.reduceat(codes, starts), np.maximum.reduceat(codes, starts)
        first, last = attribute.first[low, high], attribute.last[low, high]
        corners.append((first, last + 1))
        volume = volume * (last + 1 - first)
    shape = (*(attribute.size + 1 for attribute in attributes), size)
    sums = np.zeros(int(np.prod(shape)))
    for picks in np.ndindex(*(2,) * len(attributes)):
        places = [corners[at][pick][group] for at, pick in enumerate(picks)]
        sign = -1 if sum(picks) % 2 else 1
        cells = np.ravel_multi_index([*places, value], shape)
        sums += np.bincount(cells, sign * many / volume[group], minlength=len(sums))
    cube = sums.reshape(shape)
    for axis in range(len(attributes)):
        cube = cube.cumsum(axis=axis)
    whole: Reals = cube[(*(slice(0, -1) for _ in attributes), slice(None))]
    return whole
