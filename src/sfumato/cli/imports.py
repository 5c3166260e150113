"""What a command does not use is not loaded: libraries that others merely look for, and those that are used seldom."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import Loader
from importlib.machinery import ModuleSpec, PathFinder
from threading import RLock
from types import ModuleType

#: Libraries that are loaded merely because they are installed, and by whom: Arrow looks for pandas whenever it makes an
#: array, in the name of the module that asked for one, and Numba for the linear algebra of SciPy. No command uses
#: either, and together they take as long to load as everything else. Whoever else asks for them gets them.
NOT_NEEDED = {"pandas": ("sfumato.", "pyarrow.compute."), "scipy": ("numba.",), "scipy.linalg": ("numba.",)}

#: Libraries that are imported where they may be needed, and seldom are. They are loaded when something of them is used.
SELDOM_USED = {"duckdb", "narwhals", "pyarrow.parquet", "sqlite3", "yaml"}


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
        with _LOADING:  # others wait; whoever loads it may ask for what is there so far
            spec = self.__spec__
            if spec is not None and isinstance(spec.loader, _LoadsLate):
                spec.loader = self.__loader__ = spec.loader.loader
                spec.loader.exec_module(self)
                self.__class__ = ModuleType  # type: ignore[assignment]
            return ModuleType.__getattribute__(self, name)


_LOADING = RLock()


def _importer() -> str:
    """Return the name of the module that imports something right now."""
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("importlib."):
        frame = frame.f_back
    return str(frame.f_globals.get("__name__", ""))
