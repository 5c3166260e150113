"""How kernels are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from numba import njit

P = ParamSpec("P")
R = TypeVar("R")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that Python calls; keep the result for the next run."""
    compiled: Callable[P, R] = njit(cache=True, nogil=True, no_cfunc_wrapper=True)(function)
    return compiled


def inner(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that only kernels call, as a part of each of them."""
    compiled: Callable[P, R] = njit(nogil=True, no_cfunc_wrapper=True, no_cpython_wrapper=True)(function)
    return compiled
