"""Kernels compiled ahead, which a wheel may contain so that the first run need not compile.

They are compiled for a processor that nearly all machines have. Their file names depend on their sources and on the
versions of Numba and Python; where any of these differ, kernels are compiled as if none had been shipped.
"""

from __future__ import annotations

import platform
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

from sfumato.common.numba.kernel_files import UNREADABLE, KernelFiles, compiled_as_usual

#: Their folder in a wheel, which is as trustworthy as the package's code.
FOLDER = Path(__file__).parent / "ahead"

#: LLVM's names of the processors that they are compiled for, and the features of these.
INTEL = ("x86-64-v3", "avx avx2 bmi bmi2 cx16 f16c fma lzcnt movbe popcnt sahf sse3 sse4.1 sse4.2 ssse3 xsave")
ARM = ("generic", "")
PROCESSORS = {"x86_64": INTEL, "AMD64": INTEL, "aarch64": ARM, "arm64": ARM}

#: The dispatchers of all kernels called so far.
KERNELS: list[Any] = []


def processor() -> tuple[str, str] | None:
    """The processor and features to compile for on this machine; None where no kernels are shipped."""
    return PROCESSORS.get(platform.machine())


@cache
def usable() -> bool:
    """Whether this machine can run shipped kernels and no option asks for kernels compiled otherwise."""
    chosen = processor()
    if chosen is None or not FOLDER.is_dir() or not compiled_as_usual():
        return False
    able = llvm.get_host_cpu_features()
    return all(able.get(ability, False) for ability in chosen[1].split())


def load(compiled: Any, signature: Any, target: Any) -> Any:
    """Load the shipped kernel for arguments of these types; None if there is none."""
    if not usable():
        return None
    try:
        kept = _files(compiled).load(_key(compiled, signature))
        return None if kept is None else compiled._cache._impl.rebuild(target, kept)
    except UNREADABLE:
        return None


def save_all() -> int:
    """Write all kernels compiled in this process to the folder; return their number."""
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
    """Numba's key of a result, with the processor compiled for in place of this machine's."""
    return compiled._cache._index_key(signature, _Ahead())


class _Ahead:
    """Stands for the code generator in a key."""

    @staticmethod
    def magic_tuple() -> tuple[Any, ...]:
        return (llvm.get_process_triple(), processor())
