"""How kernels are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from numba import njit

P = ParamSpec("P")
R = TypeVar("R")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that Python calls; keep the result for the next run."""
    compile_entry = njit(cache=True, nogil=True, no_cfunc_wrapper=True)  # type: ignore[call-overload]
    compiled: Callable[P, R] = compile_entry(function)
    return compiled


def inner(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that only kernels call, as a part of each of them."""
    compile_inner = njit(nogil=True, no_cfunc_wrapper=True, no_cpython_wrapper=True)  # type: ignore[call-overload]
    compiled: Callable[P, R] = compile_inner(function)
    return compiled
