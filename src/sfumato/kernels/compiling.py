"""How kernels are compiled."""

from __future__ import annotations

import gc
import hashlib
import re
from collections.abc import Callable
from functools import cache
from inspect import getsourcefile
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from llvmlite.binding import ffi
from numba import njit

P = ParamSpec("P")
R = TypeVar("R")

_PACKAGE = Path(__file__).parent.parent
_IMPORT = re.compile(r"^from sfumato\.([\w.]+) import (\([^)]*\)|.*)$", re.MULTILINE)


class _Collection:
    """Pauses the garbage collector while LLVM is at work.

    LLVM calls back into Python while it compiles. Were garbage collected in that moment, in this thread or another,
    code that is no longer needed would be freed in the middle of it, and the process would end.
    """

    def __init__(self) -> None:
        self.depth = 0
        self.resume = False

    def pause(self) -> None:
        """Stop collecting; called with LLVM's lock held, and more than once when a callback calls LLVM again."""
        if self.depth == 0:
            self.resume = gc.isenabled()
            gc.disable()
        self.depth += 1

    def go_on(self) -> None:
        """Collect again, if that was so before."""
        self.depth -= 1
        if self.depth == 0 and self.resume:
            gc.enable()


_collection = _Collection()
ffi.register_lock_callback(_collection.pause, _collection.go_on)


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that Python calls; keep the result for the next run."""
    compile_entry = njit(cache=True, nogil=True, no_cfunc_wrapper=True)  # type: ignore[call-overload]
    compiled: Callable[P, R] = compile_entry(function)
    _watch_all_sources(compiled)
    return compiled


def _watch_all_sources(compiled: Any) -> None:
    """Make the kept result depend on the text of all it was compiled from.

    By itself it depends on the time and size of the one file that the kernel is in, so a kernel would go on checking
    a privacy rule as it was before that rule was corrected in a file of its own.
    """
    source = getsourcefile(compiled.py_func)
    files = compiled._cache._cache_file
    if source is not None and hasattr(files, "_source_stamp"):
        files._source_stamp = sorted(_digests(Path(source)))


@cache
def _digests(source: Path) -> frozenset[tuple[str, str]]:
    """Return the name and the digest of a file and of all in this package that it imports."""
    if not source.is_file():
        return frozenset()
    text = source.read_bytes()
    found = {(source.name, hashlib.blake2b(text, digest_size=16).hexdigest())}
    for module, names in _IMPORT.findall(text.decode()):
        candidates = [module, *(f"{module}.{name}" for name in re.findall(r"\w+", names))]
        found.update(*(_digests(_PACKAGE / f"{name.replace('.', '/')}.py") for name in candidates))
    return frozenset(found)


def inner(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that only kernels call, as a part of each of them."""
    compile_inner = njit(nogil=True, no_cfunc_wrapper=True, no_cpython_wrapper=True)  # type: ignore[call-overload]
    compiled: Callable[P, R] = compile_inner(function)
    return compiled
