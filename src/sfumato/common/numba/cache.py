"""How Numba compiles kernels and how they are kept; imported when the first kernel is called.

What is not part of Numba's documented interface is listed in ``private_names.py``, and everything here that uses it is
left out where it is gone.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib import import_module
from inspect import getsourcefile
from itertools import count
from pathlib import Path
from typing import Any

from numba import njit

from sfumato.common.numba import linking, private_names, shipped
from sfumato.common.numba.kernel_files import UNREADABLE, KernelFiles, shared_folder
from sfumato.common.numba.private_names import APART, ENVIRONMENTS, EVENTS, KEPT, OPTIONS
from sfumato.common.progress import told_of_compiling

_PACKAGE = Path(__file__).parents[2]
_IMPORT = re.compile(r"^from sfumato\.([\w.]+) import (\([^)]*\)|.*)$", re.MULTILINE)


def _name_apart() -> None:
    """Make the names of compiled functions unlike those of every other process.

    Numba distinguishes functions of one name by a counter that starts at 1 in each process, and stores the counts with
    compiled code. Code of two processes, loaded together, may then hold different functions under one name and count,
    and one would run in place of the other: a wrong result at best. So the counter starts at a random number.
    """
    private_names.found("numba.core.bytecode.FunctionIdentity")._unique_ids = count(secrets.randbits(60))


#: Whether compiled kernels can be kept at all.
_CAN_KEEP = not private_names.lacking((*APART, *KEPT))

if _CAN_KEEP:
    _name_apart()
    if hasattr(os, "register_at_fork"):  # not on Windows
        os.register_at_fork(after_in_child=_name_apart)


def _rebuild_env(module: str, constants: list[Any], name: str) -> Any:
    """Restore the environment of a kept function as Numba does, without importing parts of Numba for it.

    Compiled code looks up no names in it, and the sources of array functions take long to import.
    """
    environment = private_names.found("numba.core.environment")
    known = environment.lookup_environment(name)
    if known is not None:
        return known
    unused = module.startswith("numba.") and module not in sys.modules
    found = environment.Environment({"__name__": module} if unused else vars(import_module(module)))
    found.consts[:] = constants
    found.env_name = name
    environment.Environment._memo[name] = found
    return found


if not private_names.lacking(ENVIRONMENTS):
    # Pickled functions refer to it by its place in Numba, and new ones should, too.
    _rebuild_env.__module__ = "numba.core.environment"
    private_names.found("numba.core.environment")._rebuild_env = _rebuild_env


def _announce_compiling() -> None:
    """Announce that a kernel is being compiled."""
    event = private_names.found("numba.core.event")

    class Announcer(event.Listener):  # type: ignore[misc, name-defined]
        def on_start(self, _: Any) -> None:
            for tell in tuple(told_of_compiling):
                tell()

        def on_end(self, _: Any) -> None:
            """Say nothing: the progress of the work shows that compilation has ended."""

    event.register("numba:compile", Announcer())


if not private_names.lacking(EVENTS):
    _announce_compiling()


#: Options that leave out entrances to a kernel: from C, and from Python where only kernels call it.
_OPTIONS: dict[str, Any] = {"nogil": True}
_PART_OPTIONS: dict[str, Any] = {"nogil": True}
if not private_names.lacking(OPTIONS):
    _OPTIONS |= {"no_cfunc_wrapper": True}
    _PART_OPTIONS |= {"no_cfunc_wrapper": True, "no_cpython_wrapper": True}


def entry(function: Callable[..., Any]) -> Any:
    """Compile a function that Python calls; keep the result for the next run where that is possible."""
    return (_kept_entry(function) if _CAN_KEEP else None) or njit(**_OPTIONS)(function)


def _kept_entry(function: Callable[..., Any]) -> Any:
    """Compile a function and keep the result; None where there is no place for it."""
    try:
        compiled: Any = njit(cache=True, **_OPTIONS)(function)
    except RuntimeError:
        return None
    if private_names.lacking(KEPT, getattr(compiled, "_cache", object())):
        return None
    _keep_by_sources(compiled)
    _forgive_the_disk(compiled)
    linking.parse_late(compiled)
    linking.compile_once(compiled)
    shipped.KERNELS.append(compiled)
    return compiled


def part(function: Callable[..., Any]) -> Any:
    """Compile a function that only kernels call, as a part of each of them."""
    return njit(**_PART_OPTIONS)(function)


def _forgive_the_disk(compiled: Any) -> None:
    """Compile where a result cannot be read or written, such as on a full disk, instead of failing.

    Numba loads its whole compiler before it looks for a kept result, which needs only the runtime.
    """
    kept, runtime = compiled._cache, private_names.found("numba.core.runtime.nrt.rtsys")
    load, save = kept._load_overload, kept.save_overload

    def load_overload(signature: Any, target: Any) -> Any:
        runtime.initialize(target)
        with suppress(*UNREADABLE):
            return load(signature, target) or shipped.load(compiled, signature, target)
        return None

    def save_overload(*arguments: Any) -> None:
        with suppress(OSError):
            save(*arguments)

    kept.load_overload, kept.save_overload = load_overload, save_overload


def _keep_by_sources(compiled: Any) -> None:
    """Keep results by the digests of all sources that they are compiled from, in files of our own.

    By itself Numba looks at the time and size of the one file that the kernel is in, so a kernel would go on checking
    a privacy rule as it was before that rule was corrected in another file.
    """
    function, kept = compiled.py_func, compiled._cache
    kernel = f"{function.__module__}.{function.__qualname__}"
    shared = shared_folder()
    folder = shared or Path(kept._cache_path)
    kept._cache_file = KernelFiles(folder, kernel, sources_of(compiled), alone=shared is None)


def sources_of(compiled: Any) -> frozenset[tuple[str, str]]:
    """Names and digests of all sources that a kernel is compiled from."""
    source = getsourcefile(compiled.py_func)
    return (_digests(Path(source)) if source is not None else frozenset()) | _makers()


@cache
def _makers() -> frozenset[tuple[str, str]]:
    """Names and digests of what compiles kernels."""
    return frozenset(_digest(Path(str(path))) for path in (__file__, linking.__file__))


@cache
def _digests(source: Path) -> frozenset[tuple[str, str]]:
    """Names and digests of a file and of all files of this package that it imports."""
    if not source.is_file():
        return frozenset()
    found = {_digest(source)}
    for module, names in _IMPORT.findall(source.read_text(encoding="utf-8")):
        candidates = [module, *(f"{module}.{name}" for name in re.findall(r"\w+", names))]
        found.update(*(_digests(_PACKAGE / f"{name.replace('.', '/')}.py") for name in candidates))
    return frozenset(found)


def _digest(source: Path) -> tuple[str, str]:
    return source.name, hashlib.blake2b(source.read_bytes(), digest_size=16).hexdigest()
