"""Compile kernels before the clock starts: a time limit covers the search, not the compilation of a first run."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sfumato.common.interrupts import Interrupts
from sfumato.methods.base import Method, Task
from sfumato.privacy import Requirements

#: How many cells are enough to call every kernel once, and how many rows at least.
CELLS, ROWS = 3_200, 64

#: Methods and types that this process has warmed up.
_called: set[tuple[object, ...]] = set()


def warm_up(task: Task, method: Method) -> None:
    """Run a method without a time limit on a few rows of a table, once for every type of codes.

    Numba compiles a kernel when it is first called with a type: half a minute on the first run, and seconds later, when
    kernels are loaded from files.
    """
    codes, sensitive = task.microdata.codes, task.requirements.sensitive_codes
    key = (repr(method), codes.dtype.str, sensitive.shape[1])
    enough = max(ROWS, CELLS // max(1, codes.shape[1]), 4 * task.requirements.smallest_class)
    rows = min(len(codes), enough)
    few = task.microdata.take(np.arange(rows))
    small = replace(task, microdata=few, requirements=Requirements(task.requirements.models, few), memory=None)
    if key in _called or small.requirements.broken_by_table():
        return
    with Interrupts() as interrupts:
        method.run(replace(small, suppressible=min(task.suppressible, len(few) // 10)))
    if interrupts.asked:  # no result exists yet that could be kept
        raise KeyboardInterrupt
    _called.add(key)
