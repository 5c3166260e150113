"""Kernels compiled ahead, which a wheel may bring along so that the first run need not compile.

They are code for a processor that nearly everybody has. What they were compiled from, by which Numba and for which
Python, is kept beside them; whoever differs in any of it compiles as if nothing had been brought along.
"""

from __future__ import annotations

import platform
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

from sfumato.common.numba.kernel_files import UNREADABLE, KernelFiles, compiled_as_usual

#: Where a wheel has them. The folder of a package is as trustworthy as its code.
FOLDER = Path(__file__).parent / "ahead"

#: The processors that they are compiled for, as LLVM calls them, and what such a processor is able to do.
INTEL = ("x86-64-v3", "avx avx2 bmi bmi2 cx16 f16c fma lzcnt movbe popcnt sahf sse3 sse4.1 sse4.2 ssse3 xsave")
ARM = ("generic", "")
PROCESSORS = {"x86_64": INTEL, "AMD64": INTEL, "aarch64": ARM, "arm64": ARM}

#: The dispatchers of all kernels that were imported.
KERNELS: list[Any] = []


def processor() -> tuple[str, str] | None:
    """Return the processor to compile for here and its abilities; None where nothing is shipped."""
    return PROCESSORS.get(platform.machine())


@cache
def usable() -> bool:
    """Return whether this machine runs what is shipped, and nobody asked for kernels that are compiled otherwise."""
    chosen = processor()
    if chosen is None or not FOLDER.is_dir() or not compiled_as_usual():
        return False
    able = llvm.get_host_cpu_features()
    return all(able.get(ability, False) for ability in chosen[1].split())


def load(compiled: Any, signature: Any, target: Any) -> Any:
    """Return a kernel as it was compiled ahead for arguments of these types, or None."""
    if not usable():
        return None
    try:
        kept = _files(compiled).load(_key(compiled, signature))
        return None if kept is None else compiled._cache._impl.rebuild(target, kept)
    except UNREADABLE:
        return None


def save_all() -> int:
    """Write all that has been compiled in this process to the folder; return how many results that are."""
    FOLDER.mkdir(exist_ok=True)
    count = 0
    for compiled in KERNELS:
        kept = compiled._cache._impl
        for signature, result in compiled.overloads.items():
            if kept.check_cachable(result):
                _files(compiled).save(_key(compiled, signature), kept.reduce(result))
                count += 1
    return count


def _files(compiled: Any) -> KernelFiles:
    """The files of one kernel: of this Python, of this version of Numba, of the sources as they are."""
    mine: KernelFiles = compiled._cache._cache_file
    return mine.elsewhere(FOLDER)


def _key(compiled: Any, signature: Any) -> Any:
    """Return what Numba keeps a result under, with the processor that is compiled for instead of the one at hand."""
    return compiled._cache._index_key(signature, _Ahead())


class _Ahead:
    """What stands for the code generator in a key."""

    @staticmethod
    def magic_tuple() -> tuple[Any, ...]:
        return (llvm.get_process_triple(), processor())
