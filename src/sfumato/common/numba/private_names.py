"""Names inside of Numba that are not its documented interface: what each is used for, and what happens without it.

A version of Numba may drop any of them. Then only the feature that needs it is off: kernels compile and compute the
same. A test fails for each one that is gone, by its name.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any, NamedTuple

_NOT_KEPT = "kernels are compiled in every process and not kept"
_OWN_WAY = "kept kernels load Numba's own way, which takes longer"
_SLOWER = "kernels compile and load longer"
_SILENT = "no message says that something is being compiled"


class PrivateName(NamedTuple):
    """A name, what it is used for, and what happens without it; ``on_instances`` if only instances have it."""

    path: str
    used_for: str
    fallback: str
    on_instances: bool = False

    @property
    def gone(self) -> str:
        """The message if it is missing."""
        return f"{self.path} is gone: used for {self.used_for}; fallback: {self.fallback}"


#: Numba counts functions of one name from 1 in each process; results of two processes must not share names.
APART = (PrivateName("numba.core.bytecode.FunctionIdentity._unique_ids", "names unlike other processes'", _NOT_KEPT),)

#: Used to restore the environments of stored kernels without loading more of Numba.
ENVIRONMENTS = (
    PrivateName("numba.core.environment._rebuild_env", "loading kept kernels faster", _OWN_WAY),
    PrivateName("numba.core.environment.lookup_environment", "loading kept kernels faster", _OWN_WAY),
    PrivateName("numba.core.environment.Environment", "loading kept kernels faster", _OWN_WAY),
    PrivateName("numba.core.environment.Environment._memo", "loading kept kernels faster", _OWN_WAY),
)

#: Used to announce that a kernel is being compiled.
EVENTS = (
    PrivateName("numba.core.event.Listener", "telling that a kernel is compiled", _SILENT),
    PrivateName("numba.core.event.register", "telling that a kernel is compiled", _SILENT),
)

#: Used to store compiled kernels in our own files.
KEPT = (
    PrivateName("numba.core.caching.FunctionCache._load_overload", "reading kept kernels", _NOT_KEPT),
    PrivateName("numba.core.caching.FunctionCache.load_overload", "reading kept kernels", _NOT_KEPT),
    PrivateName("numba.core.caching.FunctionCache.save_overload", "keeping kernels", _NOT_KEPT),
    PrivateName("numba.core.caching.FunctionCache._index_key", "finding shipped kernels", _NOT_KEPT),
    PrivateName("numba.core.caching.FunctionCache._cache_path", "choosing the folder", _NOT_KEPT, True),
    PrivateName("numba.core.caching.FunctionCache._cache_file", "files of our own", _NOT_KEPT, True),
    PrivateName("numba.core.caching.FunctionCache._impl", "shipping kernels", _NOT_KEPT, True),
    PrivateName("numba.core.caching.CompileResultCacheImpl.rebuild", "loading shipped kernels", _NOT_KEPT),
    PrivateName("numba.core.caching.CompileResultCacheImpl.check_cachable", "shipping kernels", _NOT_KEPT),
    PrivateName("numba.core.caching.CompileResultCacheImpl.reduce", "shipping kernels", _NOT_KEPT),
    PrivateName("numba.core.serialize.dumps", "writing kernels", _NOT_KEPT),
    PrivateName("numba.core.runtime.nrt.rtsys.initialize", "running kernels that were only loaded", _NOT_KEPT),
    PrivateName("numba.core.config.BOUNDSCHECK", "telling checked kernels apart", _NOT_KEPT),
    PrivateName("numba.core.config.DEBUGINFO_DEFAULT", "telling debugged kernels apart", _NOT_KEPT),
    PrivateName("numba.core.config.CPU_NAME", "telling other processors apart", _NOT_KEPT),
    PrivateName("numba.core.config.CPU_FEATURES", "telling other processors apart", _NOT_KEPT),
    PrivateName("numba.core.config.CACHE_DIR", "heeding the folder that a user names", _NOT_KEPT),
)

#: Used to compile parts of kernels once, and to load kernels without parsing what only linking needs.
LINKING = tuple(
    PrivateName(f"numba.core.codegen.{name}", "compiling and loading kernels faster", _SLOWER)
    for name in (
        "CPUCodeLibrary.enable_object_caching",
        "CPUCodeLibrary._ensure_finalized",
        "CPUCodeLibrary._finalize_dynamic_globals",
        "CPUCodeLibrary._get_module_for_linking",
        "CPUCodeLibrary._set_compiled_object",
        "CPUCodeLibrary._verify_declare_only_symbols",
        "CPUCodegen._module_pass_manager",
        "JitEngine.is_symbol_defined",
        "JITCPUCodegen.set_env",
        "JITCodeLibrary._finalize_final_module",
        "JITCodeLibrary._optimize_final_module",
        "JITCodeLibrary._unserialize",
        "JITCodeLibrary.get_pointer_to_function",
    )
)
#: The same of libraries themselves, which have them once they are made.
LIBRARY = tuple(
    PrivateName(f"numba.core.codegen.JITCodeLibrary.{name}", "compiling kernels faster", _SLOWER, True)
    for name in ("_codegen", "_final_module", "_finalized")
)

#: Options of ``njit`` that leave out entrances which no kernel needs, and with them some time of compilation.
OPTIONS = (
    PrivateName("numba.core.options.DefaultOptions.no_cfunc_wrapper", "compiling faster", _SLOWER),
    PrivateName("numba.core.options.DefaultOptions.no_cpython_wrapper", "compiling faster", _SLOWER),
)

ALL = (*APART, *ENVIRONMENTS, *EVENTS, *KEPT, *LIBRARY, *LINKING, *OPTIONS)


def found(path: str) -> Any:
    """Find what a dotted name stands for: a module, a class, an attribute of either; None if it is gone."""
    first, *words = path.split(".")
    thing: Any = import_module(first)
    at = first
    for word in words:
        at = f"{at}.{word}"
        if not hasattr(thing, word):
            try:
                import_module(at)
            except ImportError:
                return None
        thing = getattr(thing, word)
    return thing


def exists(path: str) -> bool:
    """Whether a dotted name is there, whatever it stands for."""
    owner, _, word = path.rpartition(".")
    return hasattr(found(owner), word)


def lacking(names: Iterable[PrivateName], instance: object = None) -> list[PrivateName]:
    """List the names that are gone; those that only instances have are looked for on one, where one is given."""
    names = list(names)
    gone = [name for name in names if not name.on_instances and not exists(name.path)]
    if instance is not None:
        own = [name for name in names if name.on_instances]
        gone += [name for name in own if not hasattr(instance, name.path.rpartition(".")[2])]
    return gone
