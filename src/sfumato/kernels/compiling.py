"""How kernels are compiled."""

from __future__ import annotations

import hashlib
import os
import pickle
import re
import secrets
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from inspect import getsourcefile
from itertools import count
from pathlib import Path
from pickle import UnpicklingError
from typing import Any, ParamSpec, TypeVar

from numba import njit
from numba.core.bytecode import FunctionIdentity
from numba.core.runtime.nrt import rtsys

from sfumato.kernels import shipped

P = ParamSpec("P")
R = TypeVar("R")

_PACKAGE = Path(__file__).parent.parent
_IMPORT = re.compile(r"^from sfumato\.([\w.]+) import (\([^)]*\)|.*)$", re.MULTILINE)


def _name_apart() -> None:
    """Make the names of compiled functions unlike those of every other process.

    Numba tells functions of one name apart by a counter that starts at 1 in each process, and the counts stay in what
    it keeps for the next run. Loaded together, what two processes compiled may hold different functions under the same
    name and count. One would then run in place of the other: a wrong result at best. So the counter starts anywhere.
    """
    FunctionIdentity._unique_ids = count(secrets.randbits(60))


_name_apart()
if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_name_apart)


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that Python calls; keep the result for the next run."""
    compiled: Callable[P, R]
    try:
        compiled = njit(cache=True, nogil=True, no_cfunc_wrapper=True)(function)  # type: ignore[call-overload]
    except RuntimeError:  # there is no place where anything could be kept
        compiled = njit(nogil=True, no_cfunc_wrapper=True)(function)  # type: ignore[call-overload]
        return compiled
    _watch_all_sources(compiled)
    _forgive_the_disk(compiled)
    shipped.KERNELS.append(compiled)
    return compiled


def _forgive_the_disk(compiled: Any) -> None:
    """Let a kept result that cannot be read or written, such as on a full disk, cost time and nothing else.

    Numba loads all that compiling needs before it looks whether something is kept. What is kept needs its runtime only.
    """
    kept = compiled._cache
    load, save = kept._load_overload, kept.save_overload

    def load_overload(signature: Any, target: Any) -> Any:
        rtsys.initialize(target)
        with suppress(OSError):
            try:
                return load(signature, target) or shipped.load(compiled, signature, target)
            except (EOFError, ValueError, UnpicklingError):
                kept.flush()
        return None

    def save_overload(*arguments: Any) -> None:
        with suppress(OSError):
            save(*arguments)

    kept.load_overload, kept.save_overload = load_overload, save_overload


def _watch_all_sources(compiled: Any) -> None:
    """Make the kept result depend on the text of all it was compiled from.

    By itself it depends on the time and size of the one file that the kernel is in, so a kernel would go on checking
    a privacy rule as it was before that rule was corrected in a file of its own.
    """
    source = getsourcefile(compiled.py_func)
    files = compiled._cache._cache_file
    if source is not None and hasattr(files, "_source_stamp"):
        files._source_stamp = sorted(_digests(Path(source)))
        files._load_index = _forgetful(files._load_index)


def _forgetful(load_index: Callable[[], dict[Any, str]]) -> Callable[[], dict[Any, str]]:
    """Make nothing of what an older version kept, where that names what is no longer there, such as a renamed class."""

    def load() -> dict[Any, str]:
        try:
            return load_index()
        except (AttributeError, ImportError, EOFError, pickle.UnpicklingError):
            return {}

    return load


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
