"""What experiments measure with: the clock, and the losses of a recoding."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median

import numpy as np

from sfumato.loss import METRICS, RecodedTable
from sfumato.methods import Task, find_method
from sfumato.privacy import PrivacyModel, Requirements
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import EquivalenceClasses, Recoding

#: The seeds of a random method, and the repetitions of a measured time.
REPEATS = 5

#: A method as experiments call it.
Recoder = Callable[[Task], Recoding]

#: This many rows are enough to compile everything.
FEW = 2_000


def task(microdata: Microdata, *models: PrivacyModel, seed: int = 0) -> Task:
    """The task of a method."""
    return Task(microdata, Requirements(models, microdata), seed=seed)


def recoder(name: str) -> Recoder:
    """A registered method."""
    return find_method(name).run


def loss(name: str, microdata: Microdata, recoding: Recoding) -> float:
    """What a recoding loses by one measure."""
    classes = EquivalenceClasses.of(microdata, recoding)
    return float(METRICS[name].measure(RecodedTable(microdata, classes)))


def repeated(
    method: Recoder, microdata: Microdata, *models: PrivacyModel, seeds: int = REPEATS
) -> dict[str, list[float]]:
    """Run a method with some seeds; return GCP, DM by made and by visible classes, and its seconds, each time.

    With one seed it is timed again until that took long enough in all. Seconds are those of processors, all cores
    together, so that other work on the machine hardly disturbs them.
    """
    found: dict[str, list[float]] = {"GCP": [], "DM": [], "DM_by_visible_classes": [], "seconds": []}
    for seed in range(seeds):
        job = task(microdata, *models, seed=seed)
        made: list[Recoding] = []
        found["seconds"].append(
            processor_seconds(lambda job=job, made=made: made.append(method(job)), REPEATS if seeds == 1 else 1)
        )
        for unit, value in losses(microdata, made[0]).items():
            found[unit].append(value)
    return found


def losses(microdata: Microdata, recoding: Recoding) -> dict[str, float]:
    """GCP, and the discernibility of the classes as they were made and as readers see them."""
    made = {"GCP": loss("gcp", microdata, recoding), "DM": loss("dm", microdata, recoding)}
    return {**made, "DM_by_visible_classes": visible_discernibility(microdata, recoding)}


def visible_discernibility(microdata: Microdata, recoding: Recoding) -> float:
    """The sum of squared sizes of the classes that readers see: made classes that show the same cells are one."""
    classes = EquivalenceClasses.of(microdata, recoding)
    ends = [
        end
        for at, domain in enumerate(microdata.domains)
        for end in domain.covered(classes.lo[:, at], classes.hi[:, at])
    ]
    _, seen = np.unique(np.stack(ends, axis=1), axis=0, return_inverse=True)
    sizes = np.bincount(seen.ravel(), classes.sizes)
    return float((sizes**2).sum())


#: A search is timed again until it has taken this many seconds in all.
ENOUGH = 0.5


def processor_seconds(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """The median of a few runs, in seconds of processor time, fewer where they are long."""
    taken: list[float] = []
    while len(taken) < repeats and sum(taken) < ENOUGH:
        begin = time.process_time()
        work()
        taken.append(time.process_time() - begin)
    return median(taken)


def few_rows(microdata: Microdata) -> Microdata:
    """The first rows of a table, with its domains: methods that saw them are compiled for all of it."""
    return microdata.take(np.arange(min(FEW, len(microdata))))


def first_attributes(microdata: Microdata, count: int) -> Microdata:
    """The table with its first quasi-identifiers alone."""
    codes = np.ascontiguousarray(microdata.codes[:, :count])
    return Microdata(codes, microdata.domains[:count], microdata.sensitive)
