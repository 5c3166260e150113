"""Decorators that turn a Python function into a compiled kernel.

Numba is loaded when the first kernel is called, in parallel with other work (`get_ready` in ``table/recoding.py``).
Kernels that are never called are never prepared: preparing one takes longer than many requests do.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from threading import RLock
from typing import Any, Generic, ParamSpec, TypeVar, cast

P = ParamSpec("P")
R = TypeVar("R")

#: Held while a kernel is prepared: two threads may call it for the first time at once.
_PREPARING = RLock()


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that Python calls, on its first call; keep the result for the next run."""
    return Compiled(function, "entry")


def inner(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that only kernels call, as a part of each of them."""
    return Compiled(function, "part")


class Compiled(Generic[P, R]):
    """A function that is compiled on its first call, with all attributes of Numba's dispatcher."""

    def __init__(self, function: Callable[P, R], role: str) -> None:
        update_wrapper(self, function)
        self._function, self._role = function, role
        self._dispatcher: Any = None

    def __call__(self, *args: P.args, **named: P.kwargs) -> R:
        """Call the compiled function."""
        return cast("R", (self._dispatcher or self._prepared())(*args, **named))

    def __getattr__(self, name: str) -> Any:
        # Numba asks, too: for the type of a kernel that another one calls.
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._prepared(), name)

    def __reduce__(self) -> str:
        return self.__qualname__

    def _prepared(self) -> Any:
        with _PREPARING:
            if self._dispatcher is None:
                from sfumato.common.numba import cache as keeping  # noqa: PLC0415

                self._dispatcher = getattr(keeping, self._role)(self._function)
        return self._dispatcher
