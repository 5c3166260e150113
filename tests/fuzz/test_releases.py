"""Random releases of hostile tables keep their promises for whoever reads the files. See `tests.fuzz.releases`."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.fuzz import outsider
from tests.fuzz.duration import rounds
from tests.fuzz.releases import attempt


def test_releases_keep_their_promises(tmp_path):
    counts = Counter(attempt(rng.randrange(2**40), tmp_path) for rng in rounds(2))
    assert counts["released"] >= 1


@pytest.mark.parametrize(
    ("promise", "cells"),
    [
        ({"model": "k", "k": 3}, [("a", "x"), ("a", "y")]),
        ({"model": "l", "l": 2, "kind": "frequency", "column": "s"}, [("a", "x"), ("a", "x"), ("a", "y")]),
        ({"model": "l", "l": 2, "kind": "distinct", "column": "s"}, [("a", "x"), ("a", "x")]),
        ({"model": "l", "l": 2, "kind": "entropy", "column": "s"}, [("a", "x"), ("a", "x"), ("a", "y")]),
        ({"model": "l", "l": 2, "kind": "recursive", "c": 2, "column": "s"}, [("a", "x"), ("a", "x"), ("a", "y")]),
        ({"model": "t", "t": 0.4, "distance": "equal", "column": "s"}, [("a", "x"), ("b", "y")]),
        ({"model": "t", "t": 0.4, "distance": "ordered", "column": "s"}, [("a", "1"), ("b", "2"), ("b", "3")]),
        (
            {"model": "t", "t": 0.2, "distance": "hierarchical", "column": "s", "groups": {"g": ["x", "y"]}},
            [("a", "x"), ("b", "y")],
        ),
        ({"model": "span", "column": "q", "width": 3}, [("[1, 3]", "x")]),
        ({"model": "span", "column": "q", "width": 3}, [("7", "x")]),
        ({"model": "span", "column": "q", "width": 28, "calendar": True}, [("2021-02", "x")]),
        ({"model": "span", "column": "q", "width": 365, "calendar": True}, [("1899", "x")]),
        ({"model": "span", "column": "q", "width": 1, "calendar": True}, [("2021-02-03", "x")]),
    ],
    ids=str,
)
def test_the_outsider_sees_what_is_broken(promise, cells):
    rows = [{"q": shown, "s": secret} for shown, secret in cells]
    assert outsider.broken(promise, outsider.classes_of(rows, ["q"]), {"q": ["q"]})


@pytest.mark.parametrize(
    ("shown", "width"),
    [("2020-02", 28), ("2020-Q1", 90), ("1899", 364), ("2020s", 3652), ("[2020-02-01, 2020-02-04]", 3), ("*", 10**6)],
)
def test_the_outsider_sees_how_wide_the_calendar_is(shown, width):
    promise = {"model": "span", "column": "q", "width": width, "calendar": True}
    classes = outsider.classes_of([{"q": shown}], ["q"])
    assert outsider.broken(promise, classes, {"q": ["q"]}) is None
    assert shown == "*" or outsider.broken(promise | {"width": width + 1}, classes, {"q": ["q"]})


@pytest.mark.parametrize(
    ("kind", "original", "shown", "true"),
    [
        ("number", 5, "[1, 9]", True),
        ("number", 5, "[6, 9]", False),
        ("number", 9, "[6, 9)", False),
        ("number", 2**60 + 1, str(2**60), False),
        ("category", "=x", "'=x", True),
        ("category", "a", "A", False),
        ("tree", "bay", "coast", True),
        ("tree", "bay", "south", False),
        ("prefix", "0112", "01**", True),
        ("prefix", "0112", "02**", False),
        ("category", None, "*", True),
        ("category", None, "a", False),
    ],
)
def test_the_outsider_sees_what_is_untrue(kind, original, shown, true):
    assert outsider.is_true(kind, original, [shown], {"bay": {"coast", "north"}}, []) == true
