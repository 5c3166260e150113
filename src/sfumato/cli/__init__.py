"""The command line. Importing it is cheap: everything heavy is imported by the command that needs it."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from typing import NoReturn

from sfumato.cli.imports import LeanFinder, compile_methods_late


def main() -> None:
    """Run the command line."""
    open_closed_streams()
    try:
        # Even Typer is imported here, so that an interrupt right after the start ends as quietly as any other.
        from sfumato.cli.app import run

        run()
    except KeyboardInterrupt:
        raise SystemExit(130) from None


def open_closed_streams() -> None:
    """Open the standard streams that the parent process closed, on the null device.

    Otherwise the next file to be opened would get the number of a closed stream, and messages would end up in it.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w", encoding="utf-8"))  # noqa: SIM115


def program() -> NoReturn:
    """Run the command line as the program ``sfumato``, which exits as soon as its work is done.

    By then everything is written and closed. Tearing down an interpreter with Numba, Arrow and DuckDB would take
    a third of a second, longer than many releases.
    """
    sys.meta_path.insert(0, LeanFinder())
    compile_methods_late()
    # Nearly all objects come from imports and stay, so frequent garbage collection would find nothing.
    gc.set_threshold(300_000, 20, 50)
    try:
        main()
        code: object = 0
    except SystemExit as stop:
        code = stop.code
    if "sfumato.io.temporary" in sys.modules:
        sys.modules["sfumato.io.temporary"].close_all()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            if stream is not None:  # closed by the parent process
                stream.flush()
    os._exit(code if isinstance(code, int) else int(code is not None))


__all__ = ["main", "program"]
