"""A kept kernel is used again only if nothing that it was compiled from has changed, and runs what it was made of."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sfumato.common.numba import cache as keeping
from sfumato.common.numba.kernel_files import KernelFiles
from sfumato.methods.multidim.kernels import mondrian


def test_a_kernel_watches_the_rules_that_are_compiled_into_it():
    kernel = mondrian.cut_until_done
    watched = {name for name, _ in keeping.sources_of(kernel)}
    assert {"mondrian.py", "rules.py", "spans.py"} <= watched


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "table" / "kernels").mkdir(parents=True)
    (tmp_path / "entry.py").write_text(
        "from sfumato.table.kernels import far as away\nfrom sfumato.table.kernels.near import (\n    one,\n)\n"
    )
    (tmp_path / "table" / "kernels" / "near.py").write_text("from sfumato.table.kernels.deep import limit\n")
    (tmp_path / "table" / "kernels" / "far.py").write_text("")
    (tmp_path / "table" / "kernels" / "deep.py").write_text("limit = 1\n")
    (tmp_path / "table" / "kernels" / "unrelated.py").write_text("")
    monkeypatch.setattr(keeping, "_PACKAGE", tmp_path)
    return tmp_path


def stamp(package: Path) -> frozenset[tuple[str, str]]:
    keeping._digests.cache_clear()
    return keeping._digests(package / "entry.py")


@pytest.mark.parametrize("name", ["entry.py", "table/kernels/near.py", "table/kernels/far.py", "table/kernels/deep.py"])
def test_a_change_of_the_same_length_at_the_same_time_counts(package: Path, name: str):
    path = package / name
    path.write_text(path.read_text() + "# a\n")
    before, mtime = stamp(package), path.stat().st_mtime_ns
    path.write_text(path.read_text().replace("# a", "# b"))
    os.utime(path, ns=(mtime, mtime))
    assert stamp(package) != before


def test_a_file_that_is_not_imported_does_not_count(package: Path):
    before = stamp(package)
    (package / "table" / "kernels" / "unrelated.py").write_text("changed = True\n")
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
    # Without bytecode: Python would run that of a source of the same length and second.
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
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
    assert len(list((tmp_path / "cache").rglob("*.nbk"))) == 2


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
        environment = os.environ | {"SFUMATO_KERNELS": ""}
        done = subprocess.run(
            [sys.executable, "-c", trouble + TRIED, tmp_path],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.stdout, done.returncode) == ("42\n", 0), done.stderr


def test_a_damaged_cache_only_costs_time(tmp_path: Path):
    (tmp_path / "entry.py").write_text(ENTRY)
    kept = tmp_path / "__pycache__"
    environment = os.environ | {"SFUMATO_KERNELS": ""}
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", TRIED, tmp_path], env=environment, capture_output=True, text=True, check=False
        )
        assert (done.stdout, done.returncode) == ("42\n", 0), done.stderr
        files = [path for path in kept.iterdir() if path.suffix == ".nbk"]
        assert files
        for path in files:
            path.write_bytes(path.read_bytes()[:40])


#: Runs the kernel of the folder that is named, and prints whether something had to be compiled for it.
ANNOUNCED = """
import sys
from numba.core import event

class Compiled(event.Listener):
    count = 0
    def on_start(self, told): Compiled.count += 1
    def on_end(self, told): pass

event.register("numba:compile", Compiled())
sys.path.insert(0, sys.argv[1])
import entry
print(entry.twice(float(sys.argv[2]) if "." in sys.argv[2] else int(sys.argv[2])), Compiled.count > 0)
"""


def run_entry(folder: Path, number: str, **changed: str) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")} | changed
    command = [sys.executable, "-c", ANNOUNCED, folder, number]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip()


def test_checkouts_share_the_kernels_of_a_folder_as_long_as_their_sources_agree(tmp_path: Path):
    shared = {"SFUMATO_KERNELS": str(tmp_path / "kernels")}
    for name, text in (("one", ENTRY), ("two", ENTRY), ("three", ENTRY.replace("2 * x", "3 * x"))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "entry.py").write_text(text)
    assert run_entry(tmp_path / "one", "21", **shared) == "42 True"
    assert run_entry(tmp_path / "two", "21", **shared) == "42 False"
    assert run_entry(tmp_path / "three", "21", **shared) == "63 True"
    assert run_entry(tmp_path / "one", "21", **shared) == "42 False"
    assert run_entry(tmp_path / "one", "21", NUMBA_BOUNDSCHECK="1", **shared) == "42 True"
    assert not list((tmp_path / "three").rglob("*.nbk"))


def test_a_folder_of_one_checkout_holds_one_version(tmp_path: Path):
    changed = ENTRY.replace("2 * x", "x + x + x")  # another length, or Python would keep to its bytecode for a second
    for text, found in ((ENTRY, "42 True"), (ENTRY, "42 False"), (changed, "63 True")):
        (tmp_path / "entry.py").write_text(text)
        assert run_entry(tmp_path, "21", SFUMATO_KERNELS="") == found
    assert len(list(tmp_path.rglob("*.nbk"))) == 1


def test_results_that_are_saved_at_the_same_time_are_never_swapped(tmp_path: Path):
    key_of = {"int": ("(int64,)", 1), "float": ("(float64,)", 1)}
    files = {name: KernelFiles(tmp_path, "entry.twice", {("entry.py", "1")}, alone=False) for name in key_of}
    for name, key in key_of.items():  # neither has seen what the other saved
        files[name].save(key, f"compiled for {name}")
    for name, key in key_of.items():
        for reader in files.values():
            assert reader.load(key) == f"compiled for {name}"
    assert files["int"].load(("(int32,)", 1)) is None


def test_a_file_under_a_wrong_name_is_not_taken(tmp_path: Path):
    files = KernelFiles(tmp_path, "entry.twice", {("entry.py", "1")}, alone=False)
    files.save("one", np.arange(3))
    [path] = tmp_path.iterdir()
    path.rename(files._path("two"))
    assert files.load("two") is None


#: A kernel that Python calls and that another kernel calls, a part of both, and an error that the part raises.
LINKED = """
from sfumato.common.numba.decorators import inner, kernel

@inner
def halved(x):
    if x % 2 == 1:
        raise ValueError("odd")
    return x // 2

@kernel
def quartered(x):
    return halved(halved(x))

@kernel
def eighth(x):
    return quartered(x) // 2 + 0 * halved(x)
"""
CALLED = """
import sys
sys.path.insert(0, sys.argv[1])
import linked
def call(kernel, x):
    try:
        return kernel(x)
    except ValueError as error:
        return str(error)
print(*[call(getattr(linked, name), x) for name in sys.argv[2:] for x in (40, 7)])
"""


def test_a_kernel_that_was_loaded_can_be_linked_into_another(tmp_path: Path):
    (tmp_path / "linked.py").write_text(LINKED)
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    expected = {"quartered": "10 odd", "eighth": "5 odd"}
    # At first one is compiled, then loaded and linked, then both are loaded.
    for names in (["quartered"], ["eighth"], ["quartered", "eighth"], ["eighth", "quartered"]):
        command = [sys.executable, "-c", CALLED, tmp_path, *names]
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert ran.stdout.strip() == " ".join(expected[name] for name in names)
    assert len(list((tmp_path / "cache").rglob("*.nbk"))) == 2


def test_parts_that_were_only_linked_serve_other_users_of_numba(tmp_path: Path):
    """Who compiles functions of their own after our kernels gets the same results as without them."""
    (tmp_path / "linked.py").write_text(LINKED)
    code = (
        "import sys\nsys.path.insert(0, sys.argv[1])\nimport linked, numpy as np\nfrom numba import njit\n"
        "print(linked.quartered(40))\n"
        "part = linked.halved._prepared()\n"
        "@njit\ndef uses(x):\n    return np.sort(x)[::-1].sum() + part(8)\n"
        "print(uses(np.arange(4)))"
    )
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    ran = subprocess.run(
        [sys.executable, "-c", code, tmp_path], env=environment, capture_output=True, text=True, check=True
    )
    assert ran.stdout.split() == ["10", "10"]
