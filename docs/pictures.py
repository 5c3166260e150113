"""Draw the pictures of README and docs/gallery.md again: `make pictures`, or with names for some of them.

All show made-up people. The same seed gives the same pictures, except for times: a changed picture shows a change of
the product.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import drawings

import sfumato as sf

FOLDER = Path(__file__).parent / "pictures"
ROWS = 20_000
KS = (2, 5, 10, 20, 50, 100)
METHODS = ("auto", "mondrian", "hilbert")

people = sf.datasets.census(rows=ROWS, seed=1).without_levels()


@cache
def release() -> sf.Release:
    """Return the release that most pictures are about."""
    return sf.anonymize(people.table, people.schema, k=10, l=3, seed=1)


def search_over_time() -> Any:
    """Return how a search for the best partition closes in on it."""
    few = sf.Schema(["age", "education", "work_class", "marital_status"], rest="drop")
    search = sf.EnumMulti(splits=40, time_limit=8)
    return sf.anonymize(people.table, few, k=20, method=search, seed=1).optimality.plot()


#: Every picture as a reader of the gallery gets it: an Altair chart. None is made before it is asked for.
PICTURES: dict[str, Callable[[], Any]] = {
    "cells": drawings.cells,
    "neighbour": drawings.neighbour,
    "lonely": drawings.lonely,
    "loss": lambda: release().plot.loss(),  # noqa: PLW0108
    "classes": lambda: release().plot.classes(),  # noqa: PLW0108
    "risk": lambda: release().plot.risk(),  # noqa: PLW0108
    "age": lambda: release().plot.column("age"),
    "compare": lambda: sf.compare(people.table, people.schema, methods=METHODS, k=KS, seed=1).plot(),
    "search": search_over_time,
}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in sys.argv[1:] or PICTURES:
        file = FOLDER / f"{name}.svg"
        PICTURES[name]().save(str(file))
        print(f"{file.relative_to(FOLDER.parent.parent)}  {file.stat().st_size / 1000:.0f} kB", flush=True)
