"""Parts of kernels are only linked: they get no machine code of their own, and their bitcode is parsed when needed.

By itself Numba optimizes every function that a kernel calls and generates code for it, and does both again for the
kernel that the function becomes a part of; and to load a kernel it parses bitcode that only another kernel would need.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import llvmlite.binding as llvm

from sfumato.common.numba import private_names
from sfumato.common.numba.private_names import LIBRARY, LINKING

#: Marks a kept kernel whose bitcode is parsed when another kernel is linked with it.
PARSED_LATE = "parsed late"

#: How the names of functions that Python can call begin, and those of environments.
WRAPPER, ENVIRONMENT = "_ZN7cpython", "_ZN08NumbaEnv"

#: Whether this version of Numba has what is used here.
POSSIBLE = not private_names.lacking(LINKING)

#: More than 0 while a kernel is compiled; Numba compiles one at a time, under a lock of its own.
_compiling = [0]


def compile_once(compiled: Any) -> None:
    """Let a kernel's parts be optimized and turned into machine code with the kernel alone."""
    compiler = getattr(compiled, "_compiler", None)
    if compiler is None or not POSSIBLE:
        return
    compile_now = compiler.compile

    def compile_kernel(*signature: Any) -> Any:
        with _only_linking():
            return compile_now(*signature)

    compiler.compile = compile_kernel


@contextmanager
def _only_linking() -> Iterator[None]:
    _compiling[0] += 1
    try:
        yield
    finally:
        _compiling[0] -= 1


def parse_late(compiled: Any) -> None:
    """Keep the names that a kernel defines beside its bitcode, which then need not be parsed to load the kernel."""
    if not POSSIBLE:
        return
    kept = compiled._cache._impl
    reduce_now = kept.reduce

    def reduce(result: Any) -> Any:
        (name, kind, data), *others = reduce_now(result)
        if kind != "object":
            return ((name, kind, data), *others)
        module = result.library._get_module_for_linking()
        defined = [one.name for one in (*module.functions, *module.global_variables) if not one.is_declaration]
        return ((name, PARSED_LATE, (*data, sorted(defined))), *others)

    kept.reduce = reduce


def _loading(load_now: Callable[..., Any]) -> Callable[..., Any]:
    """Load what `parse_late` keeps; everything else as before."""

    def unserialize(cls: Any, codegen: Any, state: Any) -> Any:
        name, kind, data = state
        if kind != PARSED_LATE:
            return load_now(cls, codegen, state)
        code, bitcode, defined = data
        library = codegen.create_library(name)
        library.is_part = False  # also where the kernel that is being compiled calls it
        library.enable_object_caching()
        library._set_compiled_object(code)
        library._get_module_for_linking = cache(lambda: llvm.parse_bitcode(bitcode))
        library._finalize_final_module()
        codegen._engine._defined_symbols.update(defined)
        return library

    return unserialize


def _is_part(library: Any) -> bool:
    """Whether a library is a part of a kernel that is being compiled, which Python never calls."""
    if "is_part" not in vars(library):
        possible = _compiling[0] > 0 and not private_names.lacking(LIBRARY, library)
        library.is_part = possible and not any(
            one.name.startswith(WRAPPER) and not one.is_declaration for one in library._final_module.functions
        )
    return bool(library.is_part)


def _optimizing(optimize_now: Callable[[Any], None]) -> Callable[[Any], None]:
    """Optimize parts no further than counting of references needs; the kernel is optimized as a whole."""

    def optimize(library: Any) -> None:
        if not _is_part(library):
            optimize_now(library)
            return
        cheaply = {"loop_vectorize": False, "slp_vectorize": False, "opt": 0, "cost": "cheap"}
        passes, builder = library._codegen._module_pass_manager(**cheaply)
        passes.run(library._final_module, builder)

    return optimize


def _finalizing(finalize_now: Callable[[Any], None]) -> Callable[[Any], None]:
    """Generate no code for parts; a kernel gets the environments of all its parts."""

    def finalize(library: Any) -> None:
        if _is_part(library):
            library._finalize_dynamic_globals()
            library._verify_declare_only_symbols()
            library._finalized = True
            return
        finalize_now(library)
        lookup = private_names.found("numba.core.environment.lookup_environment")
        for one in library._final_module.global_variables if _compiling[0] else ():
            if one.name.startswith(ENVIRONMENT) and (environment := lookup(one.name)) is not None:
                library._codegen.set_env(one.name, environment)

    return finalize


def _pointing(point_now: Callable[[Any, str], int]) -> Callable[[Any, str], int]:
    """Find no address of a part, which has none."""

    def pointer(library: Any, name: str) -> int:
        library._ensure_finalized()
        return 0 if vars(library).get("is_part") else point_now(library, name)

    return pointer


def _setting(set_now: Callable[[Any, str, Any], None]) -> Callable[[Any, str, Any], None]:
    """Set the environment of a function that has code; that of a part is set with its kernel."""

    def set_env(codegen: Any, name: str, environment: Any) -> None:
        engine = getattr(codegen, "_engine", None)
        if engine is None or engine.is_symbol_defined(name):
            set_now(codegen, name, environment)

    return set_env


if POSSIBLE:
    _codegen = private_names.found("numba.core.codegen")
    _library = _codegen.JITCodeLibrary
    _library._unserialize = classmethod(_loading(_library._unserialize.__func__))
    _library._optimize_final_module = _optimizing(_library._optimize_final_module)
    _library._finalize_final_module = _finalizing(_library._finalize_final_module)
    _library.get_pointer_to_function = _pointing(_library.get_pointer_to_function)
    _codegen.JITCPUCodegen.set_env = _setting(_codegen.JITCPUCodegen.set_env)
