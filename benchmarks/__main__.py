"""``python -m benchmarks [name …]``: run all benchmarks, or those named; ``--list`` names them.

``python -m benchmarks figures`` runs the papers' experiments instead, and ``rederived`` derives some of their figures
a second time; they have options of their own (``--help``).
``python -m benchmarks cores`` and ``python -m benchmarks chains`` take a number of rows, and methods.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

from benchmarks.measure import Result, show

#: What parses its own arguments, by its name on the command line.
OWN_OPTIONS = {
    "figures": "benchmarks.papers.command",
    "rederived": "benchmarks.rederived.command",
    "cores": "benchmarks.cores",
    "chains": "benchmarks.chains",
}

SHARED = {"__init__", "__main__", "measure"}


def available() -> list[str]:
    """Every module with a ``run`` function; its docstring's first line is its title."""
    names = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if path.stem not in SHARED)
    return [name for name in names if "\ndef run(" in (Path(__file__).parent / f"{name}.py").read_text()]


def main(arguments: list[str]) -> int:
    if arguments[:1] and arguments[0] in OWN_OPTIONS:
        return int(import_module(OWN_OPTIONS[arguments[0]]).main(arguments[1:]))
    known = available()
    if "--list" in arguments:
        print("\n".join(known))
        return 0
    unknown = [name for name in arguments if name not in known]
    if unknown:
        print(f"There is no benchmark called {', '.join(unknown)}. Known: {', '.join(known)}.", file=sys.stderr)
        return 2
    results: list[Result] = []
    for name in arguments or known:
        module = import_module(f"benchmarks.{name}")
        results += show((module.__doc__ or name).splitlines()[0], module.run())
    missed = [result.name for result in results if result.verdict == "MISSED"]
    print(f"\n{len(results)} figures, {len(missed)} limits missed" + (": " + "; ".join(missed) if missed else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
