"""What rests on Numba's private names fails by name here when one goes, and is simply off for users."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sfumato.common.numba import private_names
from sfumato.common.numba.private_names import (
    ALL,
    APART,
    ENVIRONMENTS,
    EVENTS,
    KEPT,
    LIBRARY,
    LINKING,
    OPTIONS,
    PrivateName,
    lacking,
)
from sfumato.table.kernels.classes import class_bounds

SOURCES = Path(private_names.__file__).parent


@pytest.mark.parametrize("name", ALL, ids=lambda name: name.path)
def test_numba_still_has_it(name: PrivateName) -> None:
    class_bounds(np.empty((0, 1), np.uint16), np.empty(0, np.int32), 0)
    [result, *_] = class_bounds.overloads.values()
    instance = result.library if name in LIBRARY else class_bounds._cache
    assert not lacking([name], instance), name.gone


def test_a_name_that_is_gone_is_said_with_what_happens_then() -> None:
    gone = PrivateName("numba.core.bytecode.Gone._unique_ids", "keeping names apart", "nothing is kept")
    assert lacking([gone]) == [gone]
    assert gone.gone == (
        "numba.core.bytecode.Gone._unique_ids is gone: used for keeping names apart; fallback: nothing is kept"
    )
    assert lacking([PrivateName("numba.core.caching.FunctionCache._gone", "", "", True)], class_bounds._cache)


def test_nothing_private_of_numba_is_used_that_is_not_listed() -> None:
    """Every attribute that begins with an underscore and every module of ``numba.core`` is in the list."""
    listed = {word for name in ALL for word in name.path.split(".")}
    own = {"_PREPARING", "_PACKAGE", "_OPTIONS", "_PART_OPTIONS"}
    for path in SOURCES.glob("*.py"):
        text = path.read_text("utf-8")
        used = set(
            re.findall(r"(?:compiled|kept|numba\w*|environment|Environment|_cache|_impl|library)\.(_[a-z]\w+)", text)
        )
        assert used - own <= listed | {"_cache"}, path.name
        assert not re.findall(r"^(?:from|import) numba\.\S+", text, re.MULTILINE), path.name


#: Takes a folder with a kernel and a name to take away before Numba's first kernel; prints results and what was kept.
WITHOUT = """
import sys
from pathlib import Path
from sfumato.common.numba import private_names

gone, exists, has = sys.argv[2], private_names.exists, private_names.lacking
private_names.exists = lambda path: path != gone and exists(path)

def lacking(names, instance=None):
    names = list(names)
    found = has(names, instance)
    return found + [name for name in names if name.path == gone and name.on_instances and instance is not None]

private_names.lacking = lacking
from sfumato.common.progress import told_of_compiling
said = []
told_of_compiling.append(lambda: said.append(1))
sys.path.insert(0, sys.argv[1])
import entry
print(entry.twice(21), len(list(Path(sys.argv[1]).rglob("*.nb*"))), bool(said))
"""
ENTRY = """
from sfumato.common.numba.decorators import inner, kernel

@inner
def doubled(x):
    return 2 * x

@kernel
def twice(x):
    return doubled(x)
"""


#: One name of each feature, and one that only instances have.
ON_INSTANCES = next(name for name in KEPT if name.on_instances)
TRIED = (APART[0], ENVIRONMENTS[0], EVENTS[0], KEPT[0], ON_INSTANCES, LIBRARY[0], LINKING[0], OPTIONS[0])


@pytest.mark.parametrize("name", TRIED, ids=lambda name: name.path)
def test_without_it_results_are_the_same(name: PrivateName, tmp_path: Path) -> None:
    (tmp_path / "entry.py").write_text(ENTRY)
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("NUMBA_", "SFUMATO_"))}
    command = [sys.executable, "-c", WITHOUT, tmp_path, name.path]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    kept = "0" if "not kept" in name.fallback else "1"
    assert done.stdout.split() == ["42", kept, str(name not in EVENTS)]
