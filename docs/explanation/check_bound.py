"""Confirm a bound file of Sfumato without Sfumato: python check_bound.py TABLE.csv BOUND.json [SEPARATOR].

No release of the table loses less than the bound if in no box a class pays more than it loses. A box is an interval of
every number and a node of every tree. Around every row, as the one that pays most, the search keeps a box that is
surely inside, and the rows that may still join. If even the highest prices of all of them are at most what that box
loses, all boxes in between are fine; else one attribute is decided: the box reaches a certain value in it, or no such
row joins.
"""

import csv
import hashlib
import json
import sys
from fractions import Fraction

import numpy as np


def require(holds, problem):
    if not holds:
        raise ValueError(problem)


def number(text):
    return Fraction(int(text)) if text.lstrip("+-").isdigit() else Fraction(float(text))


def read_table(path, claim, separator):
    """The cells of every row that takes part, None where a value is missing, and the number of rows left out."""
    names, words = [column["name"] for column in claim["columns"]], claim["reading"]["missing"]
    names += [claim["sensitive"]] if claim["sensitive"] is not None else []
    none = {name: {"", *words.get(name, ()), *words.get("*", ())} for name in names}
    with open(path, encoding="utf-8-sig", newline="") as file:
        lines = [[line[name].strip() for name in names] for line in csv.DictReader(file, delimiter=separator)]
    rows = [[None if text in none[name] else text for name, text in zip(names, line)] for line in lines]
    kept = [row for row in rows if claim["missing"] == "category" or None not in row[: len(claim["columns"])]]
    return kept, len(rows) - len(kept)


class Number:
    """Where the values of a number lie, in units of the loss; a box is its two ends."""

    def __init__(self, column, cells, whole):
        at = {
            cell: None if cell is None else number(str(column.get("places", {}).get(cell, cell))) for cell in set(cells)
        }
        known = [place for place in at.values() if place is not None] or [Fraction(0)]
        least, self.whole, beyond = min(known), int(whole), 3 * int(whole) + 3
        scale = whole / ((max(known) - least) or 1)
        self.places = np.array([beyond if at[cell] is None else int((at[cell] - least) * scale) for cell in cells])

    def start(self, place):
        return place, place

    def widened(self, box, places):
        return np.minimum(box[0], places), np.maximum(box[1], places)

    def loss(self, box):  # the distance of ends that were rounded may be 1 too large
        return np.clip(box[1] - box[0] - 1, 0, self.whole)


class Tree:
    """The groups of all values, level by level; a box is a level, and a value that says which group it is."""

    def __init__(self, column, cells, whole):
        at = {leaf: code for code, leaf in enumerate(column["leaves"])}
        self.places, self.groups = np.array([at[cell] for cell in cells]), np.array(column["levels"])
        require(all(len(set(zip(*pair))) == len(set(pair[0])) for pair in zip(self.groups, self.groups[1:])), "no tree")
        require(len(set(self.groups[0])) == len(at) == len(column["leaves"]) and not self.groups[-1].any(), "no tree")
        require(self.groups.min() >= 0 and self.groups.max() < len(at), "no tree")
        sizes = [np.bincount(level) for level in self.groups]
        shares = column.get("losses") or [[Fraction(int(n), len(at)) if n > 1 else 0 for n in size] for size in sizes]
        self.losses = np.array(
            [[int(Fraction(own[at]) * whole) for at in groups] for own, groups in zip(shares, self.groups)]
        )
        require(
            (np.diff(self.losses, axis=0) >= 0).all() and self.losses.min() >= 0, "a group loses less than its parts"
        )

    def start(self, place):
        return 0, place

    def widened(self, box, places):
        level, value = np.broadcast_arrays(*box, places)[0].copy(), box[1]
        for _ in self.groups:
            level += self.groups[level, value] != self.groups[level, places]
        return level, value

    def loss(self, box):
        return self.losses[box]


def most_paid(members, rows, shares):
    """The most that a class of these rows pays, -1 if they cannot be one, and how many of them it takes."""
    of_row, of_value, whole = shares
    units = of_row * rows["counts"][members]
    if of_value < whole:
        taken = {}
        for at, value in enumerate(rows["values"][members].tolist()):
            units[at] = min(units[at], of_value - taken.get(value, 0))
            taken[value] = taken.get(value, 0) + int(units[at])
    units = np.diff(np.minimum(np.cumsum(units), whole), prepend=0)
    return (int(units @ rows["prices"][members]) if units.sum() == whole else -1), int(
        (units > 0).nonzero()[0].max(initial=-1)
    ) + 1


def overpriced(scales, rows, shares, anchor):
    """Whether a box in which this row pays most is overpriced."""
    places, price, whole = rows["places"], rows["prices"][anchor], shares[2]
    box = [scale.start(places[at][anchor]) for at, scale in enumerate(scales)]
    later = np.arange(anchor, len(rows["prices"]))
    losses = sum(scale.loss(scale.widened(one, places[at][later])) for at, (scale, one) in enumerate(zip(scales, box)))
    near = losses < price
    near[0] = True
    waiting = [(box, later[near], losses[near])]
    while waiting:
        box, members, losses = waiting.pop()
        inside = sum(int(scale.loss(one)) for scale, one in zip(scales, box))
        while True:
            paid, last = most_paid(members, rows, shares)
            if paid <= whole * inside:
                break
            kept = whole * losses < paid
            if kept.all():
                break
            members, losses = members[kept], losses[kept]
        if paid <= whole * inside:
            continue
        for far in np.argsort(-losses[:last], kind="stable"):  # the row that would cost most and lies outside
            reach = [scale.widened(one, places[at][members[far]]) for at, (scale, one) in enumerate(zip(scales, box))]
            outside = [at for at, one in enumerate(box) if tuple(map(int, reach[at])) != tuple(map(int, one))]
            if outside:
                break
        else:
            return True
        at = max(outside, key=lambda at: int(scales[at].loss(reach[at])) - int(scales[at].loss(box[at])))
        one = scales[at].widened(box[at], places[at][members])
        again = scales[at].widened(one, places[at][members[far]])
        without = (again[0] != one[0]) | (again[1] != one[1])
        waiting.append((box, members[without], losses[without]))
        wider = [*box[:at], tuple(map(int, reach[at])), *box[at + 1 :]]
        more = scales[at].loss(scales[at].widened(wider[at], places[at][members])) - scales[at].loss(one)
        waiting.append((wider, members, losses + more))
    return False


def main(table, file, separator=","):
    with open(file, encoding="utf-8") as opened:
        claim = json.load(opened)
    unit, prices, columns = claim["unit"], claim["prices"], claim["columns"]
    content = json.dumps(
        {key: value for key, value in claim.items() if key != "digest"}, sort_keys=True, separators=(",", ":")
    )
    require(hashlib.sha256(content.encode()).hexdigest() == claim["digest"], "the file was changed")
    rows, left_out = read_table(table, claim, separator)
    exact = [column["kind"] == "number" and "places" not in column for column in columns] + [False]
    state = hashlib.sha256()
    for row in rows:
        said = [str(number(cell)) if is_exact and cell is not None else cell for cell, is_exact in zip(row, exact)]
        state.update(f"{json.dumps(said)}\n".encode())
    require(state.hexdigest() == claim["table"] and len(rows) == len(prices), "this is another table")
    require(all(type(price) is int and price >= 0 for price in prices), "a price is negative or not a whole number")
    require(not claim["suppression"] or max(prices) <= unit, "a row pays more than its suppression loses")
    paid = Fraction(sum(prices) + left_out * unit, (len(rows) + left_out) * unit)
    require(Fraction(claim["bound"]) <= paid, "the prices add up to less than the bound")
    ell = Fraction(claim["l"] or 1)
    shares = (ell.numerator, claim["k"] * (ell.denominator if claim["l"] else 1), claim["k"] * ell.numerator)
    require(shares[2] * max(unit, *prices) < 2**62, "the prices are too large for exact sums")
    weights = [Fraction(str(column["weight"])) for column in columns]
    kinds, wholes = {"number": Number, "tree": Tree}, [weight / sum(weights) * unit for weight in weights]
    cells = list(zip(*rows))
    scales = [kinds[column["kind"]](column, cells[at], wholes[at]) for at, column in enumerate(columns)]
    numbered = {value: at for at, value in enumerate(dict.fromkeys(cells[-1]))}
    values = np.array([numbered[value] for value in cells[-1]])
    together = np.column_stack(
        [-np.array(prices), *(scale.places for scale in scales), values * (claim["l"] is not None)]
    )
    distinct, counts = np.unique(together, axis=0, return_counts=True)
    laid = {
        "prices": -distinct[:, 0],
        "places": distinct[:, 1:-1].T.copy(),
        "values": distinct[:, -1],
        "counts": counts,
    }
    for anchor in np.flatnonzero(laid["prices"] > 0):
        require(
            not overpriced(scales, laid, shares, anchor), "there is a box whose rows pay more than a class in it loses"
        )
    print(f"confirmed: no release of this table loses less than {claim['bound']} (k={claim['k']}, l={claim['l']})")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (KeyError, ValueError, TypeError, IndexError) as error:
        sys.exit(f"not confirmed: {error}")
