"""Kernels compiled ahead are used where they fit, give the same, and are passed over everywhere else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sfumato.common.numba import kernel_files, shipped
from sfumato.common.numba.kernel_files import KernelFiles

pytestmark = pytest.mark.skipif(shipped.processor() is None, reason="nothing is shipped for this kind of processor")

#: Takes a folder for kernels compiled ahead, an empty one for those compiled here, and what to do.
CALL = """
import sys
from pathlib import Path
import numpy as np
from numba.core import event
from sfumato.common.numba import shipped
from sfumato.table.kernels import classes

class Compiled(event.Listener):
    count = 0
    def on_start(self, told): Compiled.count += 1
    def on_end(self, told): pass

event.register("numba:compile", Compiled())
shipped.FOLDER = Path(sys.argv[1])
codes = np.array([[3, 1], [2, 5], [7, 0]], np.uint16)
found = classes.class_bounds(codes, np.array([0, 1, 0], np.int32), 2)
print([part.tolist() for part in found], Compiled.count > 0)
if sys.argv[2:]:
    shipped.save_all()
"""
FOUND = "[[2, 1], [[3, 0], [2, 5]], [[7, 1], [2, 5]]]"


def call(ahead: Path, empty: Path, *words: str, **changed: str) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    environment |= {"NUMBA_CACHE_DIR": str(empty), **changed}
    done = subprocess.run(
        [sys.executable, "-c", CALL, ahead, *words], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.fixture(scope="module")
def ahead(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one kernel that was compiled ahead."""
    folder = tmp_path_factory.mktemp("ahead")
    assert shipped.processor() is not None
    name, abilities = shipped.processor()
    features = ",".join(f"+{one}" for one in abilities.split())
    cpu = {"NUMBA_CPU_NAME": name, "NUMBA_CPU_FEATURES": features}
    assert call(folder, tmp_path_factory.mktemp("made"), "save", **cpu) == f"{FOUND} True"
    return folder


def test_a_shipped_kernel_is_not_compiled_and_gives_the_same(ahead: Path, tmp_path: Path) -> None:
    assert call(ahead, tmp_path) == f"{FOUND} False"
    assert not list(tmp_path.rglob("*.nbk"))  # nor written once more


def test_checked_kernels_are_compiled_although_others_are_shipped(ahead: Path, tmp_path: Path) -> None:
    assert call(ahead, tmp_path, NUMBA_BOUNDSCHECK="1") == f"{FOUND} True"


def test_another_version_of_numba_passes_a_shipped_kernel_over(
    ahead: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = KernelFiles(ahead, "entry.twice", {("entry.py", "1")}, alone=False)
    monkeypatch.setattr("numba.__version__", "0.1.2")
    other = KernelFiles(ahead, "entry.twice", {("entry.py", "1")}, alone=False)
    assert mine._path("key") != other._path("key")


def test_a_damaged_file_costs_time_and_nothing_else(ahead: Path, tmp_path: Path) -> None:
    other = _copied(ahead, tmp_path)
    for data in other.glob("*.nbk"):
        data.write_bytes(data.read_bytes()[:100])
    assert call(other, tmp_path / "empty") == f"{FOUND} True"


def _copied(ahead: Path, target: Path) -> Path:
    (target / "copy").mkdir()
    for file in ahead.iterdir():
        (target / "copy" / file.name).write_bytes(file.read_bytes())
    return target / "copy"


def test_a_lesser_processor_gets_none(ahead: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipped, "FOLDER", ahead)
    monkeypatch.setattr(shipped, "PROCESSORS", dict.fromkeys(shipped.PROCESSORS, ("a dream", "flying")))
    monkeypatch.setattr(kernel_files.config, "BOUNDSCHECK", None)
    assert not shipped.usable.__wrapped__()
    monkeypatch.setattr(shipped, "PROCESSORS", dict.fromkeys(shipped.PROCESSORS, ("generic", "")))
    assert shipped.usable.__wrapped__()


def test_other_sources_are_other_kernels(ahead: Path) -> None:
    sources = {("classes.py", "as it is"), ("rules.py", "as it is")}
    kept = KernelFiles(ahead, "classes.class_bounds", sources, alone=False)
    changed = KernelFiles(ahead, "classes.class_bounds", sources | {("rules.py", "changed")}, alone=False)
    assert kept._path("key") != changed._path("key")
