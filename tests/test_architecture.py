"""The import rules, read from the source without running it.

Who may know whom is what keeps a dozen methods apart from the files they came from and the verifier apart
from what it verifies. Each rule returns sentences about what breaks it; an empty list is a pass. The rules
themselves are tried on a small tree of fakes at the end, so that none of them can pass by looking away.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

PACKAGE = "sfumato"
LONGEST_MODULE = 500
SHORTEST_MODULE = 60
MOST_FILES, MOST_ROOMS = 5, 17

# From the ground up: a part may import its own row and the rows above it in this list.
LAYERS = (
    ("errors",),
    ("common",),
    ("io", "verify"),
    ("hierarchies",),
    ("table",),
    ("privacy",),
    ("loss",),
    ("assess",),
    ("methods",),
    ("release",),
    ("run",),
    ("engines", "datasets"),
    ("profiles",),
    ("api",),
    ("sklearn", "testing"),
    ("studio",),
    ("cli",),
    ("__main__",),
)
RANK = {part: rank for rank, row in enumerate(LAYERS) for part in row}

# Rooms that may know only what is listed, whatever their row allows.
ONLY = {
    "io": ("errors", "common", "io"),
    # Whoever checks must not share code with whoever is checked; how to write HTML, how to share work among threads and
    # how to compile a loop are no part of either's judgement.
    "verify": ("errors", "common.parameters", "common.html", "common.threads", "common.numba", "verify"),
}
# What others may import of the verifier: checks and their results, and what the verifier asks an engine to count.
# Never how it codes and groups: code that makes a release must not share a mistake with the code that checks it.
ENTRANCES = {
    "verify.release": {"verify_release", "check_weights"},
    "verify.written": {"verify_written", "PromisedTable"},
    "verify.views": {"verify_view"},
    "verify.check_file": {"check_file"},
    "verify.grouped_files": {"check_files"},
    "verify.copies": {"check_copies", "check_same_rows", "digest_of"},
    "verify.lower_bound": {"verify_bound", "BoundCheck"},
    "verify.bound_claim": {"NOT_A_BOUND"},
    "verify.anatomy": {"verify_anatomy", "verify_files", "TwoTables"},
    "verify.consequences": {"provable", "Provable", "promise_in_words", "GIVEN", "ONLY_WITH_PEOPLE"},
    "verify.engine_check": {"verify_grouped"},
    "verify.engine_groups": {"CountClasses", "Grouped", "Keys"},
    "verify.verification": {
        "Verification",
        "RuleCheck",
        "Unproven",
        "Achieved",
        "SensitiveAchieved",
        "ClassFrequencies",
    },
}
# The core works on arrays: it never sees a file.
WITHOUT_FILES = (
    *("table.microdata", "table.encoding", "table.frequency", "table.recoding", "table.people", "table.spans"),
    *("table.kernels", "privacy", "loss", "methods", "assess.cautions"),
)

FRAMES = {"pandas", "polars", "modin", "dask", "cudf", "pyspark"}
READERS = {"narwhals", "duckdb"}
READING_PARTS = ("io", "run.large", "run.in_database", "engines", "verify")
WITHOUT_ARROW = ("common.numba", "table.kernels", "methods")

#: From a room or a module to those that it imports.
Graph = dict[str, set[str]]

# Rooms with modules that import, in functions only, what is built upon them: a hierarchy offers its preview, what
# opens a file opens several, the choice of an engine starts it. Everywhere else such imports are cycles as well.
TIED_LATE = ("hierarchies", "io", "methods", "run")

# A folder of this name holds compiled loops and knows only those beside it and what all kernels share.
KERNELS = "kernels"
KERNELS_MAY_USE = ("errors", "common.parameters", "common.progress", "common.numba", "table.kernels")


def within(name: str, places: Iterable[str]) -> bool:
    """``sfumato.io.csv`` lies within ``io``, not within ``i``."""
    return any(f"{name}.".startswith(f"{PACKAGE}.{place}.") for place in places)


@dataclass(frozen=True)
class Import:
    """One imported module, where it is written, whether it exists for type checkers only, and the names taken from it.

    No names mean the module itself; a late import stands in a function.
    """

    target: str
    line: int
    typing_only: bool
    names: tuple[str, ...] = ()
    late: bool = False


@dataclass(frozen=True)
class Module:
    """One source file: its dotted name, its tree and its imports."""

    name: str
    lines: int
    docstring: str
    imports: tuple[Import, ...]
    is_package: bool
    classes: tuple[str, ...]

    @property
    def part(self) -> str:
        return part_of(self.name)


def part_of(name: str) -> str:
    """``sfumato.verify.release`` belongs to ``verify``; the package itself to ``""``."""
    return name.split(".")[1] if "." in name else ""


def read_tree(folder: Path) -> dict[str, Module]:
    """Parse every module of the package that lies in ``folder``."""
    paths = {dotted(path.relative_to(folder)): path for path in sorted(folder.rglob("*.py"))}
    return {name: read_module(name, path, set(paths)) for name, path in paths.items()}


def dotted(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join((PACKAGE, *(parts[:-1] if parts[-1] == "__init__" else parts)))


def read_module(name: str, path: Path, known: set[str]) -> Module:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text, filename=str(path))
    home = name if path.name == "__init__.py" else name.rpartition(".")[0]
    imports = tuple(imports_of(tree, home, known))
    classes = tuple(node.name for node in tree.body if isinstance(node, ast.ClassDef))
    lines = len(text.splitlines())
    return Module(name, lines, ast.get_docstring(tree) or "", imports, path.name == "__init__.py", classes)


def imports_of(tree: ast.Module, home: str, known: set[str]) -> Iterator[Import]:
    """Yield every import, also those inside functions: late is still imported."""
    for node, typing_only, late in walk(tree, False):
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, node.lineno, typing_only, late=late) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = absolute(node, home)
            names = [alias.name for alias in node.names if not is_fact(base, alias.name)]
            for target in sorted({resolve(base, name, known) for name in names}):
                taken = tuple(name for name in names if target == base)
                yield Import(target, node.lineno, typing_only, taken, late)
        elif isinstance(node, ast.Call) and (target := imported_by_call(node)):
            yield Import(target, node.lineno, typing_only, late=late)


def walk(node: ast.AST, typing_only: bool, late: bool = False) -> Iterator[tuple[ast.AST, bool, bool]]:
    """Walk a tree and remember what is under ``if TYPE_CHECKING``, and what is in a function."""
    guarded = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
    late = late or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    for child in ast.iter_child_nodes(node):
        inside = typing_only or (guarded and isinstance(node, ast.If) and child in node.body)
        yield child, inside, late
        yield from walk(child, inside, late)


def absolute(node: ast.ImportFrom, home: str) -> str:
    if not node.level:
        return node.module or ""
    parent = home.split(".")[: len(home.split(".")) - node.level + 1]
    return ".".join([*parent, *([node.module] if node.module else [])])


def resolve(base: str, name: str, known: set[str]) -> str:
    """``from sfumato import api`` imports a module, ``from sfumato.api.anonymize import check`` a name in one."""
    if f"{base}.{name}" in known or (base == PACKAGE and name in RANK):
        return f"{base}.{name}"
    return base


def is_fact(base: str, name: str) -> bool:
    """``from sfumato import __version__`` needs nothing of the package but its first lines."""
    return base == PACKAGE and name.startswith("__") and name not in RANK


def imported_by_call(node: ast.Call) -> str:
    """Return what ``import_module("...")`` or ``__import__("...")`` names, if it is a literal."""
    called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    first = node.args[0] if node.args else None
    if called in {"import_module", "__import__"} and isinstance(first, ast.Constant):
        return str(first.value)
    return ""


# The rules


def every_part_has_a_layer(tree: dict[str, Module]) -> list[str]:
    strangers = sorted({module.part for module in tree.values()} - set(RANK) - {""})
    return [f"'{part}' has no place in LAYERS; give it one" for part in strangers]


def lower_never_imports_higher(tree: dict[str, Module]) -> list[str]:
    return [
        f"{module.name}:{imported.line} imports {imported.target}, which is a layer above it"
        for module, imported in own_imports(tree)
        if module.part in RANK and rank_of(imported.target) > RANK[module.part]
    ]


def rooms_form_no_cycle(tree: dict[str, Module]) -> list[str]:
    """Neither across rows nor within one; imports for type checkers count, too."""
    graph: Graph = {}
    for module, imported in own_imports(tree):
        graph.setdefault(module.part, set()).add(part_of(imported.target))
    graph.pop("", None)  # the package itself hands out what is in all rooms
    return [f"{' and '.join(cycle)} import each other" for cycle in cycles_of(graph)]


def modules_form_no_cycle(tree: dict[str, Module]) -> list[str]:
    """Imports in functions count, too, but for rooms whose objects offer what is built upon them."""
    graph: Graph = {name: set() for name in tree}
    for module, imported in own_imports(tree):
        counts = not (imported.typing_only or (imported.late and module.part in TIED_LATE))
        if counts and imported.target in tree:
            graph[module.name].add(imported.target)
    return [f"{', '.join(cycle)} import each other" for cycle in cycles_of(graph)]


def cycles_of(graph: Graph) -> list[list[str]]:
    """Find the sets of nodes each of which leads to all others."""
    reached = {node: reachable(graph, node) for node in graph}
    cycles = {frozenset(other for other in reached[node] if node in reached.get(other, ())) for node in graph}
    return sorted(sorted(cycle) for cycle in cycles if len(cycle) > 1)


def reachable(graph: Graph, start: str) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        for following in graph.get(waiting.pop(), set()) - found:
            found.add(following)
            waiting.append(following)
    return found


def own_imports(tree: dict[str, Module]) -> Iterator[tuple[Module, Import]]:
    for module in tree.values():
        for imported in module.imports:
            if imported.target.split(".")[0] == PACKAGE:
                yield module, imported


def rank_of(target: str) -> int:
    """The package itself hands out the api, so it ranks as the api does."""
    return RANK.get(part_of(target) or "api", -1)


def some_parts_know_only_what_is_listed(tree: dict[str, Module]) -> list[str]:
    return [
        f"{module.name}:{imported.line} imports {imported.target}, not one of {sorted(ONLY[module.part])}"
        for module, imported in own_imports(tree)
        if module.part in ONLY and not within(imported.target, ONLY[module.part])
    ]


def others_enter_the_verifier_by_its_entrances(tree: dict[str, Module]) -> list[str]:
    """Code that makes releases and code that checks them share nothing, seen from this side too."""
    return [
        f"{module.name}:{imported.line} imports {', '.join(imported.names) or 'all'} of {imported.target}, which is no "
        "entrance of the verifier"
        for module, imported in own_imports(tree)
        if module.part != "verify" and within(imported.target, ("verify",)) and not is_entrance(imported)
    ]


def is_entrance(imported: Import) -> bool:
    entrances = ENTRANCES.get(imported.target.removeprefix(f"{PACKAGE}."), set())
    return bool(imported.names) and set(imported.names) <= entrances


def every_entrance_is_used(tree: dict[str, Module]) -> list[str]:
    used = {
        (imported.target.removeprefix(f"{PACKAGE}."), name)
        for module, imported in own_imports(tree)
        if module.part != "verify"
        for name in imported.names
    }
    return [
        f"verify: nobody imports {name} of {module}; take it out of ENTRANCES"
        for module, names in ENTRANCES.items()
        for name in sorted(names)
        if f"{PACKAGE}.{module}" in tree and (module, name) not in used
    ]


def kernels_know_only_kernels(tree: dict[str, Module]) -> list[str]:
    """A loop beside its method may use the shared loops, never those of another method or what is not compiled."""
    return [
        f"{module.name}:{imported.line} imports {imported.target}; kernels know only kernels above or beside them"
        for module, imported in own_imports(tree)
        if KERNELS in module.name.split(".") and not kernel_may_import(module.name, imported.target)
    ]


def kernel_may_import(name: str, target: str) -> bool:
    if within(target, KERNELS_MAY_USE):
        return True
    owner, found, _ = target.partition(f".{KERNELS}")
    return bool(found) and f"{name}.".startswith(f"{owner}.")


def the_core_never_sees_files(tree: dict[str, Module]) -> list[str]:
    return [
        f"{module.name}:{imported.line} imports {imported.target}; {module.part} never sees files"
        for module, imported in own_imports(tree)
        if within(module.name, WITHOUT_FILES) and within(imported.target, READING_PARTS)
    ]


def foreign_imports(tree: dict[str, Module]) -> Iterator[tuple[Module, int, str]]:
    for module in tree.values():
        for imported in module.imports:
            if (top := imported.target.split(".")[0]) != PACKAGE:
                yield module, imported.line, top


def nobody_imports_a_frame_library(tree: dict[str, Module]) -> list[str]:
    return [
        f"{module.name}:{line} imports {top}; narwhals handles frames without it"
        for module, line, top in foreign_imports(tree)
        if top in FRAMES and not (top == "pyspark" and within(module.name, ("run.large",)))
    ]


def only_readers_import_reading_libraries(tree: dict[str, Module]) -> list[str]:
    return [
        f"{module.name}:{line} imports {top}; only {sorted(READING_PARTS)} may"
        for module, line, top in foreign_imports(tree)
        if top in READERS and not within(module.name, READING_PARTS)
    ]


def algorithms_never_see_arrow(tree: dict[str, Module]) -> list[str]:
    return [
        f"{module.name}:{line} imports pyarrow; {module.part} works on plain arrays"
        for module, line, top in foreign_imports(tree)
        if top == "pyarrow" and within(module.name, WITHOUT_ARROW)
    ]


def modules_stay_small(tree: dict[str, Module]) -> list[str]:
    return [
        f"{module.name} has {module.lines} lines; split it, {LONGEST_MODULE} are the limit"
        for module in tree.values()
        if module.lines > LONGEST_MODULE
    ]


def the_top_stays_small(tree: dict[str, Module]) -> list[str]:
    top = [module for module in tree.values() if module.name.count(".") <= 1]
    files = sorted(module.name for module in top if not module.is_package or module.name == PACKAGE)
    rooms = sorted(module.name for module in top if module.is_package and module.name != PACKAGE)
    found = [f"{len(files)} files at the top, {MOST_FILES} at most: {', '.join(files)}"] * (len(files) > MOST_FILES)
    return found + [f"{len(rooms)} rooms, {MOST_ROOMS} at most: {', '.join(rooms)}"] * (len(rooms) > MOST_ROOMS)


def public_class_names_are_unique(tree: dict[str, Module]) -> list[str]:
    homes: dict[str, list[str]] = {}
    for module in tree.values():
        for name in module.classes:
            homes.setdefault(name, []).append(module.name)
    return [
        f"{' and '.join(places)} both have a class {name}"
        for name, places in homes.items()
        if len(places) > 1 and not name.startswith("_")
    ]


def small_modules_have_a_reason(tree: dict[str, Module]) -> list[str]:
    """A small module with one user belongs into it, unless there is one for each command, method, kernel or the like.

    Those are imported by name (commands, formats) or by the package that lists them (methods, cautions, data sets).
    """
    users: dict[str, set[str]] = {}
    for module, imported in own_imports(tree):
        if imported.target != module.name:
            users.setdefault(imported.target, set()).add(module.name)
    alone = {target: min(names) for target, names in users.items() if len(names) == 1}
    return [
        f"{name} has {tree[name].lines} lines and is used by {user} alone; join them"
        for name, user in sorted(alone.items())
        if name in tree and not tree[name].is_package and tree[name].lines < SHORTEST_MODULE
        if not tree[user].is_package and KERNELS not in name.split(".")
    ]


def names_differ_by_more_than_a_letter(tree: dict[str, Module]) -> list[str]:
    folders: dict[str, list[str]] = {}
    for name in sorted(tree):
        folder, _, leaf = name.rpartition(".")
        folders.setdefault(folder, []).append(leaf)
    return [
        f"{folder}.{one} and {folder}.{other} differ by a letter"
        for folder, leaves in folders.items()
        for one, other in itertools.combinations(leaves, 2)
        if differ_by_a_letter(one, other)
    ]


def differ_by_a_letter(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    if len(short) == len(long):
        return sum(a != b for a, b in zip(short, long, strict=True)) == 1
    return any(long[:place] + long[place + 1 :] == short for place in range(len(long)))


def modules_say_what_they_are_for(tree: dict[str, Module]) -> list[str]:
    return [f"{module.name} has no docstring" for module in tree.values() if not module.docstring.strip()]


Rule = Callable[[dict[str, Module]], list[str]]
RULES: tuple[Rule, ...] = (
    every_part_has_a_layer,
    lower_never_imports_higher,
    rooms_form_no_cycle,
    modules_form_no_cycle,
    some_parts_know_only_what_is_listed,
    others_enter_the_verifier_by_its_entrances,
    every_entrance_is_used,
    kernels_know_only_kernels,
    the_core_never_sees_files,
    nobody_imports_a_frame_library,
    only_readers_import_reading_libraries,
    algorithms_never_see_arrow,
    the_top_stays_small,
    public_class_names_are_unique,
    small_modules_have_a_reason,
    names_differ_by_more_than_a_letter,
    modules_stay_small,
    modules_say_what_they_are_for,
)


@pytest.fixture(scope="module")
def source(repository: Path) -> dict[str, Module]:
    """The package itself, parsed once for all rules."""
    return read_tree(repository / "src" / PACKAGE)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_source_keeps_the_rule(rule: Rule, source: dict[str, Module]) -> None:
    assert PACKAGE in source
    broken = rule(source)
    assert not broken, "\n".join(broken)


# The rules, tried on fakes

CLEAN = {
    "__init__.py": "",
    "errors.py": "",
    "common/__init__.py": "",
    "common/numba/__init__.py": "import numba\n",
    "table/__init__.py": "",
    "table/kernels/__init__.py": "",
    "table/kernels/spans.py": "from sfumato.common import numba\n",
    "io/__init__.py": "",
    "io/frames.py": "import narwhals\nfrom sfumato.errors import SourceError\n",
    "privacy/__init__.py": "",
    "privacy/base.py": "from sfumato import __version__\nfrom sfumato.errors import ParameterError\n",
    "methods/__init__.py": "",
    "methods/cut/__init__.py": "",
    "methods/cut/kernels/__init__.py": "",
    "methods/cut/kernels/halves.py": (
        "from sfumato.table.kernels import spans\nfrom sfumato.methods.cut.kernels import ends\n"
    ),
    "methods/cut/kernels/ends.py": "import numba\nfrom sfumato.errors import ParameterError\nclass Ends: ...\n",
    "methods/mondrian.py": "from sfumato.table.kernels import spans\nfrom sfumato.privacy import base\n",
    "release/__init__.py": "",
    "release/plots.py": "if TYPE_CHECKING:\n    from sfumato.release import release\n",
    "engines/__init__.py": "",
    "datasets/__init__.py": "def read():\n    from sfumato import engines\n",
    "hierarchies/__init__.py": "",
    "hierarchies/base.py": "def show():\n    from sfumato.hierarchies import preview\n",
    "hierarchies/preview.py": "from sfumato.hierarchies import base\n",
    "release/release.py": (
        "from sfumato.verify.release import verify_release\nfrom sfumato.verify.release import check_weights\n"
        "def plot():\n    from sfumato.release import plots\n"
    ),
    "verify/__init__.py": "",
    "verify/classes.py": "import pyarrow\n",
    "verify/release.py": (
        "import pyarrow\nfrom sfumato.errors import ParameterError\nfrom sfumato.verify.classes import group_rows\n"
    ),
    "api/__init__.py": "",
    "api/anonymize.py": "def run():\n    from sfumato.methods import mondrian\n",
    "cli/__init__.py": "from sfumato.api import anonymize\n",
}
UNDOCUMENTED = "answer = 42\n"
#: Makes a module long enough to stand alone.
PADDING = "#\n" * SHORTEST_MODULE


def fake_tree(folder: Path, files: dict[str, str]) -> dict[str, Module]:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text if text == UNDOCUMENTED else f'"""Fake."""\n{text}\n{PADDING}', encoding="utf-8")
    return read_tree(folder)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_a_clean_tree_passes(rule: Rule, tmp_path: Path) -> None:
    assert rule(fake_tree(tmp_path, CLEAN)) == []


@pytest.mark.parametrize(
    ("rule", "file", "text"),
    [
        (every_part_has_a_layer, "helpers.py", ""),
        (lower_never_imports_higher, "errors.py", "import sfumato.api.anonymize"),
        (lower_never_imports_higher, "privacy/base.py", "from sfumato.methods.mondrian import Mondrian"),
        (lower_never_imports_higher, "privacy/base.py", "from ..methods import mondrian"),
        (lower_never_imports_higher, "privacy/__init__.py", "from ..release import values"),
        (lower_never_imports_higher, "methods/mondrian.py", "def run():\n    from sfumato import api"),
        (lower_never_imports_higher, "verify/release.py", "from sfumato import anonymize"),
        (lower_never_imports_higher, "privacy/base.py", "import_module('sfumato.cli')"),
        (some_parts_know_only_what_is_listed, "io/frames.py", "from sfumato.table.kernels import spans"),
        (kernels_know_only_kernels, "table/kernels/spans.py", "from sfumato.methods.cut.kernels import ends"),
        (kernels_know_only_kernels, "table/kernels/spans.py", "from sfumato.hierarchies import Domain"),
        (kernels_know_only_kernels, "methods/cut/kernels/ends.py", "from sfumato.methods.cut import base"),
        (kernels_know_only_kernels, "methods/cut/kernels/ends.py", "from sfumato.methods.other.kernels import sort"),
        (
            kernels_know_only_kernels,
            "methods/cut/kernels/ends.py",
            "from sfumato.loss.bound.kernels.bound import least",
        ),
        (the_core_never_sees_files, "methods/mondrian.py", "from sfumato.io.frames import read"),
        (nobody_imports_a_frame_library, "io/frames.py", "import pandas as pd"),
        (nobody_imports_a_frame_library, "api/anonymize.py", "def run():\n    from polars import DataFrame"),
        (only_readers_import_reading_libraries, "release/values.py", "import duckdb"),
        (algorithms_never_see_arrow, "table/kernels/spans.py", "import pyarrow.compute as pc"),
        (some_parts_know_only_what_is_listed, "verify/release.py", "from sfumato.table.kernels.spans import cost"),
        (some_parts_know_only_what_is_listed, "verify/release.py", "def late():\n    import sfumato.io"),
        (
            others_enter_the_verifier_by_its_entrances,
            "methods/mondrian.py",
            "from sfumato.verify.classes import group_rows",
        ),
        (
            others_enter_the_verifier_by_its_entrances,
            "release/values.py",
            "def late():\n    from sfumato.verify.release import verify_release, group_rows",
        ),
        (others_enter_the_verifier_by_its_entrances, "release/values.py", "import sfumato.verify.classes as classes"),
        (others_enter_the_verifier_by_its_entrances, "release/values.py", "import sfumato.verify.release"),
        (others_enter_the_verifier_by_its_entrances, "release/values.py", "from sfumato.verify import release"),
        (others_enter_the_verifier_by_its_entrances, "release/values.py", "from ..verify.classes import code_column"),
        (others_enter_the_verifier_by_its_entrances, "release/values.py", "from sfumato import verify"),
        (others_enter_the_verifier_by_its_entrances, "release/values.py", "import_module('sfumato.verify.classes')"),
        (every_entrance_is_used, "verify/engine_check.py", "def verify_grouped(): ..."),
        (lower_never_imports_higher, "errors.py", "def late():\n    import sfumato.table.kernels"),
        (rooms_form_no_cycle, "engines/__init__.py", "from sfumato import datasets"),
        (rooms_form_no_cycle, "engines/spark.py", "if TYPE_CHECKING:\n    import sfumato.datasets"),
        (modules_form_no_cycle, "methods/cut/kernels/ends.py", "from sfumato.methods.cut.kernels import halves"),
        (modules_form_no_cycle, "release/plots.py", "def late():\n    from sfumato.release import release"),
        (modules_form_no_cycle, "hierarchies/base.py", "from sfumato.hierarchies import preview"),
        (public_class_names_are_unique, "release/values.py", "class Ends: ..."),
        (names_differ_by_more_than_a_letter, "methods/cut/kernels/end.py", ""),
        (names_differ_by_more_than_a_letter, "methods/cut/kernels/enda.py", ""),
        (modules_stay_small, "api/anonymize.py", "x = 1\n" * LONGEST_MODULE),
        (modules_say_what_they_are_for, "api/anonymize.py", UNDOCUMENTED),
    ],
)
def test_a_broken_tree_fails(rule: Rule, file: str, text: str, tmp_path: Path) -> None:
    broken = rule(fake_tree(tmp_path, CLEAN | {file: text}))
    assert broken
    assert all(Path(file).parts[0].removesuffix(".py") in message for message in broken)


def test_a_small_module_with_one_user_is_found(tmp_path: Path) -> None:
    lone = CLEAN | {"methods/halve.py": UNDOCUMENTED, "methods/mondrian.py": "from sfumato.methods import halve\n"}
    [message] = small_modules_have_a_reason(fake_tree(tmp_path / "lone", lone))
    assert "sfumato.methods.halve has 1 lines" in message
    shared = lone | {"release/release.py": "from sfumato.methods.halve import answer\n"}
    assert small_modules_have_a_reason(fake_tree(tmp_path / "shared", shared)) == []
    listed = CLEAN | {"methods/halve.py": UNDOCUMENTED, "methods/__init__.py": "from sfumato.methods import halve\n"}
    assert small_modules_have_a_reason(fake_tree(tmp_path / "listed", listed)) == []


def test_a_crowded_top_is_found(tmp_path: Path) -> None:
    files = CLEAN | {f"loose_{number}.py": "" for number in range(4)}
    assert "6 files at the top" in the_top_stays_small(fake_tree(tmp_path / "files", files))[0]
    rooms = CLEAN | {f"room_{number}/__init__.py": "" for number in range(12)}
    assert "rooms, 17 at most" in the_top_stays_small(fake_tree(tmp_path / "rooms", rooms))[0]
