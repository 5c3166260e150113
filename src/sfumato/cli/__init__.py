"""The command line. Importing it is cheap: everything heavy is imported by the command that needs it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from types import ModuleType
from typing import NoReturn

#: Libraries that are loaded merely because they are installed, and by whom: Arrow looks for pandas whenever it makes an
#: array, in the name of the module that asked for one, and Numba for the linear algebra of SciPy. No command uses
#: either, and together they take as long to load as everything else. Whoever else asks for them gets them.
NOT_NEEDED = {"pandas": "sfumato", "scipy.linalg": "numba"}


def main() -> None:
    """Run the command line."""
    open_closed_streams()
    try:
        # Even Typer is imported here, so that an interrupt right after the start ends as quietly as any other.
        from sfumato.cli.app import run  # noqa: PLC0415

        run()
    except KeyboardInterrupt:
        raise SystemExit(130) from None


def open_closed_streams() -> None:
    """Give this program the three streams that it expects, should whoever started it have closed one.

    Otherwise the next file that is opened would take the number of a closed stream, and talk would get into it.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free, which is this one
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w", encoding="utf-8"))  # noqa: SIM115


class OnlyWhatIsUsed:
    """Pretends that a library is not installed to those who would only look whether it is."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> None:
        """Find nothing, as for all other modules; or raise, so that nobody else looks for it."""
        if name in NOT_NEEDED and _importer().partition(".")[0] == NOT_NEEDED[name]:
            raise ModuleNotFoundError(f"No module named {name!r} is needed here.", name=name)


def _importer() -> str:
    """Return the name of the module that imports something right now."""
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("importlib."):
        frame = frame.f_back
    return str(frame.f_globals.get("__name__", ""))


def program() -> NoReturn:
    """Run the command line as the program ``sfumato``, which ends as soon as its work is done.

    By then everything is written and closed. Taking an interpreter with Numba, Arrow and DuckDB apart piece by piece
    would take a third of a second, longer than many a release.
    """
    sys.meta_path.insert(0, OnlyWhatIsUsed())
    try:
        main()
        code: object = 0
    except SystemExit as stop:
        code = stop.code
    if "sfumato.scale.temporary" in sys.modules:
        sys.modules["sfumato.scale.temporary"].close_all()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            if stream is not None:  # closed by whoever started us
                stream.flush()
    os._exit(code if isinstance(code, int) else int(code is not None))


__all__ = ["main", "program"]
