"""The command line answers at once, because what is heavy is imported when it is used."""

from __future__ import annotations

import importlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pytest

from sfumato.cli import imports
from sfumato.io import write_table

HEAVY = ("numba", "llvmlite", "pyarrow", "duckdb", "numpy", "narwhals", "pandas", "polars")

#: What a command that makes a release of a CSV file does without; each takes a while to load.
UNUSED = {
    *("pandas", "scipy", "rich", "pydantic", "narwhals.dtypes", "pyarrow.fs", "yaml.loader", "_sqlite3"),
    *(
        "sfumato.assess.attacks",
        "sfumato.engines",
        "sfumato.run.presets",
        "sfumato.assess.risk.report",
        "sfumato.loss.bound.bound",
    ),
    *("sfumato.methods.lattice", "sfumato.methods.multidim.best_cuts", "sfumato.run.explain"),
    "sfumato.verify.engine_check",
}
#: And of a Parquet file, which Arrow reads by itself.
UNUSED_BY_PARQUET = UNUSED - {"pyarrow.fs"} | {"_duckdb"}

SHOW_LOADED = f"import sys; print(*[name for name in {HEAVY} if name in sys.modules])"


def loaded_after(code: str) -> list[str]:
    """Return which heavy modules a fresh interpreter holds after running ``code``."""
    command = [sys.executable, "-X", "importtime", "-c", f"{code}\n{SHOW_LOADED}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.splitlines()[-1].split()


def test_the_package_itself_imports_nothing_heavy() -> None:
    assert loaded_after("import sfumato; import sfumato.errors; dir(sfumato)") == []


def test_the_command_line_imports_nothing_heavy() -> None:
    assert loaded_after("import sfumato.cli") == []


@pytest.mark.parametrize("arguments", [["--help"], ["anonymize", "--help"], ["--version"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "import sys, sfumato.cli\n"
        f"sys.argv = ['sfumato', *{arguments}]\n"
        "try:\n    code = sfumato.cli.main()\n"
        "except SystemExit as stop:\n    code = stop.code\n"
        "assert not code, code"
    )
    assert loaded_after(code) == []


def test_a_method_is_imported_when_it_is_asked_for() -> None:
    code = (
        "import sys\n"
        "from sfumato.methods import find_method\n"
        "def others():\n"
        "    return [name for name in sys.modules if name.startswith('sfumato.methods.lattice')]\n"
        "find_method('mondrian')\n"
        "assert not others(), others()\n"
        "find_method('lattice')\n"
        "assert others()"
    )
    assert "numba" not in loaded_after(code)  # which comes with the first kernel that is called


def test_numba_is_loaded_with_the_first_kernel_that_is_called() -> None:
    call = "import numpy as np\nfrom sfumato.table.kernels.classes import class_bounds\n"
    assert "numba" not in loaded_after(call)
    assert "numba" in loaded_after(call + "class_bounds(np.empty((0, 1), np.uint16), np.empty(0, np.int32), 0)")


@pytest.mark.parametrize(("ending", "unused"), [("csv", UNUSED), ("parquet", UNUSED_BY_PARQUET)])
def test_a_command_does_not_load_what_others_merely_look_for(tmp_path: Path, ending: str, unused: set[str]) -> None:
    table, output = (tmp_path / f"{name}.{ending}" for name in ("table", "out"))
    # Numbers alone: categories would need peeling, and with it best cuts.
    write_table(pa.table({"age": [at % 5 for at in range(600)], "hours": [1.5, 2.5] * 300}), table)
    words = [
        "sfumato",
        "anonymize",
        str(table),
        "-o",
        str(output),
        "--qi",
        "age",
        "--qi",
        "hours",
        "-k",
        "2",
        "--suppression",
        "0.05",
        "-q",
    ]
    code = (
        "import os, sys, sfumato.cli\n"
        f"sys.argv = {words}\n"
        "def end(code):\n"
        "    assert not code, code\n"
        f"    assert not {unused} & set(sys.modules), {unused} & set(sys.modules)\n"
        "    import pandas, scipy.linalg\n"  # whoever wants them gets them
        "    raise KeyError\n"
        "os._exit = end\n"
        "try:\n    sfumato.cli.program()\n"
        "except KeyError:\n    pass"
    )
    assert "pandas" in loaded_after(code)
    assert output.is_file()


def test_what_is_seldom_used_is_loaded_when_something_of_it_is(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "sfumato_late_module.py").write_text("import sys\nsys.sfumato_loaded = True\nvalue = 3\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(imports, "SELDOM_USED", {"sfumato_late_module"})
    monkeypatch.setattr(sys, "meta_path", [imports.LeanFinder(), *sys.meta_path])
    monkeypatch.setattr(sys, "sfumato_loaded", False, raising=False)
    late = importlib.import_module("sfumato_late_module")
    assert importlib.import_module("sfumato_late_module") is late
    assert not sys.sfumato_loaded  # type: ignore[attr-defined]
    assert not hasattr(late, "nothing")
    assert sys.sfumato_loaded  # type: ignore[attr-defined]
    assert late.value == 3
    monkeypatch.delitem(sys.modules, "sfumato_late_module")


def test_threads_that_use_it_first_at_the_same_moment_all_find_it_whole(tmp_path: Path, monkeypatch) -> None:
    asking = 4
    (tmp_path / "sfumato_slow_module.py").write_text("import time\ntime.sleep(0.2)\nvalue = 3\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(imports, "SELDOM_USED", {"sfumato_slow_module"})
    monkeypatch.setattr(sys, "meta_path", [imports.LeanFinder(), *sys.meta_path])
    slow = importlib.import_module("sfumato_slow_module")
    with ThreadPoolExecutor(asking) as pool:
        assert list(pool.map(lambda _: slow.value, range(asking))) == [3] * asking
    monkeypatch.delitem(sys.modules, "sfumato_slow_module")


def test_methods_that_are_compiled_late_do_what_others_do() -> None:
    """In a process of its own: what a dataclass shows, compares, hashes, orders and refuses."""
    shown = (
        "import dataclasses\n"
        "@dataclasses.dataclass(frozen=True, order=True)\n"
        "class Point:\n    x: int = 1\n    y: tuple = ()\n"
        "def refused(act):\n"
        "    try:\n        act()\n    except dataclasses.FrozenInstanceError as error:\n        return str(error)\n"
        "p, q = Point(), Point(2, (3,))\n"
        "print(p, p == Point(), p == q, p < q, p >= q, hash(p) == hash(Point()), dataclasses.replace(p, x=5),\n"
        "      refused(lambda: setattr(p, 'x', 3)), refused(lambda: delattr(p, 'y')), p == 1)\n"
        "print(Point.__eq__.__qualname__, Point.__eq__.__name__)"
    )
    late = f"from sfumato.cli.imports import compile_methods_late\ncompile_methods_late()\n{shown}"
    plain, now_late = (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        for code in (shown, late)
    )
    assert now_late == plain


def test_the_probe_sees_a_heavy_import() -> None:
    assert loaded_after("import numpy") == ["numpy"]
