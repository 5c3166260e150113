"""Compiling before the clock starts: a time limit is for the search, not for what only the first run has to do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sfumato.methods.base import Method, Task
from sfumato.methods.interrupts import Interrupts
from sfumato.privacy import Requirements

#: Cells that are enough to call every kernel once, and rows of however wide a table.
CELLS, ROWS = 3_200, 64

#: What has been called before, in this process, with which types.
_called: set[tuple[object, ...]] = set()


def warm_up(task: Task, method: Method) -> None:
    """Run a method without a time limit on a few rows of a table, once for every type of codes.

    Kernels are compiled when they are first called with a type, which takes half a minute on the first run and is
    loaded from a file, which takes seconds, on the later ones.
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
    if interrupts.asked:  # nothing has been found yet that could be kept
        raise KeyboardInterrupt
    _called.add(key)
