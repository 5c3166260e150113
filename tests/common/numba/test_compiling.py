"""A kept kernel is used again only if nothing that it was compiled from has changed, and runs what it was made of."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sfumato.common.numba import cache as keeping
from sfumato.methods.multidim.kernels import mondrian


def test_a_kernel_watches_the_rules_that_are_compiled_into_it():
    kernel = mondrian.cut_until_done
    watched = {name for name, _ in kernel._cache._cache_file._source_stamp}
    assert {"mondrian.py", "rules.py", "spans.py"} <= watched


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "kernels").mkdir()
    (tmp_path / "entry.py").write_text(
        "from sfumato.table.kernels import far as away\nfrom sfumato.table.kernels.near import (\n    one,\n)\n"
    )
    (tmp_path / "kernels" / "near.py").write_text("from sfumato.table.kernels.deep import limit\n")
    (tmp_path / "kernels" / "far.py").write_text("")
    (tmp_path / "kernels" / "deep.py").write_text("limit = 1\n")
    (tmp_path / "kernels" / "unrelated.py").write_text("")
    monkeypatch.setattr(keeping, "_PACKAGE", tmp_path)
    return tmp_path


def stamp(package: Path) -> frozenset[tuple[str, str]]:
    keeping._digests.cache_clear()
    return keeping._digests(package / "entry.py")


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
    assert keeping._digests(package / "nowhere.py") == frozenset()


RENAMED = """
from typing import NamedTuple
from sfumato.common.numba.decorators import kernel

class {name}(NamedTuple):
    height: int

@kernel
def doubled(given):
    return given.height * 2

if __name__ == "__main__":
    import renamed
    print(renamed.doubled(renamed.{name}(21)))
"""


def test_what_an_older_version_kept_may_name_what_is_no_longer_there(tmp_path: Path):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    for name in ("Old", "New", "New"):
        (tmp_path / "renamed.py").write_text(RENAMED.format(name=name))
        command = [sys.executable, str(tmp_path / "renamed.py")]
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert ran.stdout == "42\n"


TWO_OF_ONE_NAME = """
from sfumato.common.numba.decorators import inner, kernel

def times(factor):
    @inner
    def total(n):
        result = 0
        for i in range(n):  # too long to be compiled into its caller: there must be two functions of this name
            if i > 1000:
                raise ValueError
            result = (result * 3 + i * factor) % 1_000_003
            if result % 7 == 1:
                result += i
        return result
    return total

once, often = times(1), times(1000)

@kernel
def small(n):
    return once(n)

@kernel
def large(n):
    return often(n)
"""


def test_what_two_processes_compiled_runs_side_by_side(tmp_path: Path):
    (tmp_path / "kernels_of_one_name.py").write_text(TWO_OF_ONE_NAME)

    def results(*names: str) -> list[str]:
        code = f"import kernels_of_one_name as k; print({', '.join(f'k.{name}(20)' for name in names)})"
        environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(tmp_path)}
        ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        return ran.stdout.split()

    apart = results("small") + results("large")
    assert results("small", "large") == apart
    assert len(list((tmp_path / "cache").rglob("*.nbc"))) == 2


#: A kernel of two lines whose result has to be right, whatever becomes of what would be kept.
TRIED = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import entry
print(entry.twice(21))
"""
ENTRY = """
from sfumato.common.numba.decorators import kernel
@kernel
def twice(x):
    return 2 * x
"""
FULL_DISK = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
NOWHERE = (
    "from numba.core import caching\n"
    "def nowhere(*_):\n    raise RuntimeError('no locator available')\n"
    "caching.CacheImpl.__init__ = nowhere\n"
)


@pytest.mark.parametrize("trouble", [FULL_DISK, NOWHERE], ids=["full disk", "nowhere to write"])
def test_a_cache_that_cannot_be_written_only_costs_time(tmp_path: Path, trouble: str):
    (tmp_path / "entry.py").write_text(ENTRY)
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", trouble + TRIED, tmp_path], capture_output=True, text=True, check=False
        )
        assert (done.stdout, done.returncode) == ("42\n", 0), done.stderr


def test_a_damaged_cache_only_costs_time(tmp_path: Path):
    (tmp_path / "entry.py").write_text(ENTRY)
    kept = tmp_path / "__pycache__"
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", TRIED, tmp_path], capture_output=True, text=True, check=False)
        assert (done.stdout, done.returncode) == ("42\n", 0), done.stderr
        files = [path for path in kept.iterdir() if path.suffix in {".nbi", ".nbc"}]
        assert files
        for path in files:
            path.write_bytes(path.read_bytes()[:40])
