"""Keep commands from importing what they do not use: libraries that others only probe for, and rarely used ones."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader
from importlib.machinery import ModuleSpec, PathFinder
from threading import RLock
from types import ModuleType
from typing import Any

#: Libraries that are loaded merely because they are installed, and the modules that probe for them: Arrow imports
#: pandas whenever it makes an array, on behalf of the module that wants one, and Numba the linear algebra of SciPy. No
#: command uses either, and together they take as long to load as everything else. Any other module gets them.
NOT_NEEDED = {"pandas": ("sfumato.", "pyarrow.compute."), "scipy": ("numba.",), "scipy.linalg": ("numba.",)}

#: Libraries that are imported at the top of modules and rarely used. They are loaded on first use.
SELDOM_USED = {"duckdb", "narwhals", "pyarrow.parquet", "sqlite3", "yaml"}


class LeanFinder:
    """Hides a library from modules that only probe for it, and loads rarely used libraries late."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Find a module to load late; None leaves it to the other finders; raising keeps them from looking."""
        if name in NOT_NEEDED and f"{_importer()}.".startswith(NOT_NEEDED[name]):
            raise ModuleNotFoundError(f"No module named {name!r} is needed here.", name=name)
        if name not in SELDOM_USED:
            return None
        found = PathFinder.find_spec(name, path, target)
        if found is not None and found.loader is not None:
            found.loader = _LoadsLate(found.loader)
        return found


class _LoadsLate(Loader):
    """Loads a module on first use."""

    def __init__(self, loader: Loader) -> None:
        self.loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Make a module that is empty at first."""
        return _Late(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Postpone the work to the first use."""


class _Late(ModuleType):
    """A module that is loaded when one of its attributes is used."""

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        with _LOADING:  # other threads wait; the thread that loads it may use what is there so far
            spec = self.__spec__
            if spec is not None and isinstance(spec.loader, _LoadsLate):
                spec.loader = self.__loader__ = spec.loader.loader
                spec.loader.exec_module(self)
                self.__class__ = ModuleType  # type: ignore[assignment]
            return ModuleType.__getattribute__(self, name)


_LOADING = RLock()

#: The methods of a dataclass that most programs never call. Up to Python 3.12, the class compiles each by itself.
SELDOM_CALLED = {"__repr__", "__eq__", "__hash__", "__lt__", "__le__", "__gt__", "__ge__", "__setattr__", "__delattr__"}


def compile_methods_late() -> None:
    """Let dataclasses compile what is seldom called on its first call, which halves the time that they take to load."""
    compile_now: Callable[..., Any] | None = getattr(dataclasses, "_create_fn", None)
    if compile_now is not None:  # gone in Python 3.13, which compiles all methods of a class at once
        dataclasses._create_fn = _late_method(compile_now)  # type: ignore[attr-defined]


def _late_method(compile_now: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap the function that compiles a method."""

    def create(name: str, *text: Any, **names: Any) -> Any:
        if name not in SELDOM_CALLED:
            return compile_now(name, *text, **names)
        compiled: list[Any] = []

        def late(*values: Any) -> Any:
            if not compiled:
                compiled.append(compile_now(name, *text, **names))
            return compiled[0](*values)

        late.__name__ = late.__qualname__ = name
        return late

    return create


def _importer() -> str:
    """Name the module that is importing something right now."""
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("importlib."):
        frame = frame.f_back
    return str(frame.f_globals.get("__name__", ""))
