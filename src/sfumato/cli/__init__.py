"""The command line. Importing it is cheap: everything heavy is imported by the command that needs it."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.abc import Loader
from importlib.machinery import ModuleSpec, PathFinder
from threading import RLock
from types import ModuleType
from typing import NoReturn

#: Libraries that are loaded merely because they are installed, and by whom: Arrow looks for pandas whenever it makes an
#: array, in the name of the module that asked for one, and Numba for the linear algebra of SciPy. No command uses
#: either, and together they take as long to load as everything else. Whoever else asks for them gets them.
NOT_NEEDED = {"pandas": ("sfumato.", "pyarrow.compute."), "scipy": ("numba.",), "scipy.linalg": ("numba.",)}

#: Libraries that are imported where they may be needed, and seldom are. They are loaded when something of them is used.
SELDOM_USED = {"narwhals", "pyarrow.parquet", "sqlite3", "yaml"}


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
    """Pretends that a library is not installed to those who would only look whether it is, and loads others late."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Find what is to be loaded late; nothing, as for all other modules; or raise, so that nobody else looks."""
        if name in NOT_NEEDED and f"{_importer()}.".startswith(NOT_NEEDED[name]):
            raise ModuleNotFoundError(f"No module named {name!r} is needed here.", name=name)
        if name not in SELDOM_USED:
            return None
        found = PathFinder.find_spec(name, path, target)
        if found is not None and found.loader is not None:
            found.loader = _LoadsLate(found.loader)
        return found


class _LoadsLate(Loader):
    """Loads a module when something of it is used for the first time."""

    def __init__(self, loader: Loader) -> None:
        self.loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Make a module that is empty so far."""
        return _Late(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Leave it for later."""


class _Late(ModuleType):
    """A module that is loaded when something of it is used."""

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        with _LOADING:
            spec = self.__spec__
            if spec is not None and isinstance(spec.loader, _LoadsLate):
                spec.loader = self.__loader__ = spec.loader.loader
                self.__class__ = ModuleType  # type: ignore[assignment]
                spec.loader.exec_module(self)
        return getattr(self, name)


_LOADING = RLock()


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
    # Nearly all objects are made by imports and stay; looking for garbage among them again and again finds none.
    gc.set_threshold(50_000, 20, 50)
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
