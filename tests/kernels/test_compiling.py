"""A kept kernel is used again only if nothing that it was compiled from has changed."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from llvmlite.binding import ffi
from numba import njit

from sfumato.kernels import compiling
from sfumato.methods.multidim import mondrian_kernel


def test_a_kernel_watches_the_rules_that_are_compiled_into_it():
    kernel = mondrian_kernel.cut_until_done
    watched = {name for name, _ in kernel._cache._cache_file._source_stamp}
    assert {"mondrian_kernel.py", "rules.py", "spans.py"} <= watched


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "kernels").mkdir()
    (tmp_path / "entry.py").write_text(
        "from sfumato.kernels import far as away\nfrom sfumato.kernels.near import (\n    one,\n)\n"
    )
    (tmp_path / "kernels" / "near.py").write_text("from sfumato.kernels.deep import limit\n")
    (tmp_path / "kernels" / "far.py").write_text("")
    (tmp_path / "kernels" / "deep.py").write_text("limit = 1\n")
    (tmp_path / "kernels" / "unrelated.py").write_text("")
    monkeypatch.setattr(compiling, "_PACKAGE", tmp_path)
    return tmp_path


def stamp(package: Path) -> frozenset[tuple[str, str]]:
    compiling._digests.cache_clear()
    return compiling._digests(package / "entry.py")


@pytest.mark.parametrize("name", ["entry.py", "kernels/near.py", "kernels/far.py", "kernels/deep.py"])
def test_a_change_of_the_same_length_at_the_same_time_counts(package: Path, name: str):
    path = package / name
    path.write_text(path.read_text() + "# a\n")
    before, mtime = stamp(package), path.stat().st_mtime_ns
    path.write_text(path.read_text().replace("# a", "# b"))
    os.utime(path, ns=(mtime, mtime))
    assert stamp(package) != before


def test_a_file_that_is_not_imported_does_not_count(package: Path):
    before = stamp(package)
    (package / "kernels" / "unrelated.py").write_text("changed = True\n")
    assert stamp(package) == before


def test_a_kernel_without_source_is_compiled_as_usual(package: Path):
    assert compiling._digests(package / "nowhere.py") == frozenset()


@pytest.fixture(params=[True, False])
def collecting(request: pytest.FixtureRequest) -> Iterator[bool]:
    before = gc.isenabled()
    (gc.enable if request.param else gc.disable)()
    yield request.param
    (gc.enable if before else gc.disable)()


def test_nothing_is_collected_while_llvm_works(collecting: bool) -> None:
    seen: list[bool] = []
    callbacks = (lambda: seen.append(gc.isenabled()), lambda: None)
    ffi.register_lock_callback(*callbacks)
    try:
        assert njit(lambda numbers: numbers.sum() + 1)(np.ones(3)) == 4
    finally:
        ffi.unregister_lock_callback(*callbacks)
    assert seen
    assert not any(seen)
    assert gc.isenabled() == collecting
