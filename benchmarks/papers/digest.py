"""A digest of the code that an experiment's results rest on: stored with them, so that stale results are noticed.

It covers the experiment's function with all that it reaches in `benchmarks` by name, the modules of Sfumato that the
experiment names, and what those import from families of methods. Comments, docstrings, claims, titles and everything
else may change without changing it: so may what all methods share (tasks, threads, sorting, progress), which decides
how long they take and how they are called, and by the product's own tests not what they find.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

#: The package whose definitions are followed by name.
HOME = "benchmarks"

#: The methods of Sfumato, and how many parts the name of a module has that belongs to a family of them.
METHODS, PARTS = "sfumato.methods.", 4

#: The letters of a digest that are kept.
LENGTH = 16


@cache
def digest(run: Callable[..., object], rests_on: tuple[str, ...]) -> str:
    """The digest of a function with what it reaches, and of modules or whole packages with what they import."""
    pieces = [
        *reached(run.__module__, run.__name__),
        *(piece for name in followed(rests_on) for piece in modules(name)),
    ]
    return sha256("\n".join(sorted(set(pieces))).encode()).hexdigest()[:LENGTH]


def followed(names: Iterable[str]) -> set[str]:
    """Modules, and those of families of methods that they import, and so on."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += imported_methods(name)
    return found


@cache
def imported_methods(name: str) -> list[str]:
    """The modules of families of methods that a module imports, at its head or within; of a package none."""
    if location(name).name == "__init__.py":
        return []
    origins = [node.module or "" for node in ast.walk(tree(name)) if isinstance(node, ast.ImportFrom)]
    families = [origin for origin in origins if origin.startswith(METHODS) and origin.count(".") + 1 >= PARTS]
    return [origin for origin in families if location(origin).name != "__init__.py"]


@cache
def modules(name: str) -> list[str]:
    """The code of a module, or of all modules of a package."""
    path = location(name)
    files = sorted(path.parent.rglob("*.py")) if path.name == "__init__.py" else [path]
    return [f"{name} {file.relative_to(path.parent)} {plain(ast.parse(file.read_text('utf-8')))}" for file in files]


def reached(module: str, name: str) -> list[str]:
    """The code of a definition and of all others in `benchmarks` that it reaches."""
    found: dict[tuple[str, str], str] = {}
    waiting = [(module, name)]
    while waiting:
        place = waiting.pop()
        if place in found:
            continue
        node = definitions(place[0]).get(place[1])
        if node is None:
            continue
        found[place] = f"{place[0]} {place[1]} {plain(node)}"
        waiting += references(place[0], node)
    return list(found.values())


def references(module: str, node: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield the definitions of `benchmarks` that a piece of code names: its own module's, imported ones, attributes."""
    imports = imported(module)
    for part in ast.walk(without_decorators(node)):
        if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id in imports:
            origin, name = imports[part.value.id]
            yield (f"{origin}.{name}", part.attr)
        elif isinstance(part, ast.Name):
            yield imports.get(part.id, (module, part.id))


@cache
def definitions(module: str) -> dict[str, ast.AST]:
    """The functions, classes and constants of a module of `benchmarks`, by name."""
    found: dict[str, ast.AST] = {}
    for node in tree(module).body if at_home(module) else ():
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)]
            # The paper's own entry is text about it; what it registers is reached by name.
            found |= {name: node for name in names if name != "PAPER"}
    return found


def at_home(module: str) -> bool:
    """Whether a name is that of a module of `benchmarks`."""
    try:
        return module.startswith(f"{HOME}.") and find_spec(module) is not None
    except ModuleNotFoundError:  # what comes before the last dot is no package
        return False


@cache
def imported(module: str) -> dict[str, tuple[str, str]]:
    """What a module imports from `benchmarks`: by its name there, the module and the name in it."""
    return {
        alias.asname or alias.name: (node.module, alias.name)
        for node in ast.walk(tree(module))
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(HOME)
        for alias in node.names
    }


@cache
def tree(module: str) -> ast.Module:
    """The syntax of a module."""
    return ast.parse(location(module).read_text(encoding="utf-8"))


def location(module: str) -> Path:
    """The file of a module."""
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"A result rests on {module}, which does not exist: name its module anew.")
    return Path(spec.origin)


def without_decorators(node: ast.AST) -> ast.AST:
    """A definition without its decorators, which hold titles."""
    if isinstance(node, ast.FunctionDef):
        return ast.FunctionDef(**{**dict(ast.iter_fields(node)), "decorator_list": []})
    return node


def plain(node: ast.AST) -> str:
    """Code as text that formatting, comments, docstrings and decorators do not change."""
    return ast.dump(Undocumented().visit(ast.parse(ast.unparse(ast.fix_missing_locations(without_decorators(node))))))


class Undocumented(ast.NodeTransformer):
    """Leaves out docstrings."""

    def visit(self, node: ast.AST) -> Any:
        """Visit a node, and drop the text that its body begins with."""
        self.generic_visit(node)
        body = getattr(node, "body", None)
        if (
            isinstance(body, list)
            and body
            and isinstance(body[0], ast.Expr)
            and isinstance(body[0].value, ast.Constant)
        ):
            node.body = body[1:]  # type: ignore[attr-defined]
        return node
