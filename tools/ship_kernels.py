"""Compile kernels ahead of time into the package, so that a wheel built from it need not compile: ``make dist``.

What is compiled is what a few ordinary requests call. Everything else is compiled when it is first used.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def main() -> None:
    """Compile in a process of its own, for the processor that kernels are shipped for, with nothing kept so far."""
    if "SFUMATO_SHIPS" in os.environ:
        compile_ahead()
        return
    from sfumato.common.numba import shipped  # noqa: PLC0415

    shutil.rmtree(shipped.FOLDER, ignore_errors=True)
    chosen = shipped.processor()
    if chosen is None:
        print("No kernels are compiled ahead for this kind of processor.")
        return
    with tempfile.TemporaryDirectory() as empty:
        cpu = {"NUMBA_CPU_NAME": chosen[0], "NUMBA_CPU_FEATURES": ",".join(f"+{one}" for one in chosen[1].split())}
        changed = {**cpu, "NUMBA_CACHE_DIR": empty, "SFUMATO_SHIPS": "1"}
        subprocess.run([sys.executable, Path(__file__)], env={**os.environ, **changed}, check=True)


def compile_ahead() -> None:
    """Run ordinary requests, and keep what they compiled."""
    import sfumato as sf  # noqa: PLC0415
    from sfumato.common.numba import shipped  # noqa: PLC0415

    levels = sf.datasets.census(rows=2_000, seed=1)
    mixed = levels.without_levels()
    categories = {"gender": None, "race": None, "country": None}
    for wishes in ({}, {"l": 2}, {"t": 0.5}, {"suppression": 0.05}):
        for method in ("auto", "best", "mondrian"):
            sf.anonymize(mixed.table, mixed.schema, k=5, seed=1, method=method, **wishes)
        for method in ("lattice", "incognito"):
            sf.anonymize(levels.table, levels.schema, k=5, seed=1, method=method, **wishes)
    release = sf.anonymize(mixed.table, quasi_identifiers=categories, rest="drop", k=5, seed=1)
    assert release.bound is not None
    long = sf.datasets.census(rows=70_000, seed=1).without_levels()  # long tables are sorted by kernels of their own
    sf.anonymize(long.table, long.schema, k=5, seed=1, method="hilbert")
    numbers = sf.anonymize(mixed.table, mixed.schema, k=5, seed=1, method="hilbert")
    assert numbers.bound is not None
    print(f"{shipped.save_all()} kernels compiled ahead")


if __name__ == "__main__":
    main()
