"""The reference cannot drift: signatures, public names and options are compared with the pages, both ways."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from tests.test_architecture import LAYERS

import sfumato as sf
from sfumato.cli.app import app
from sfumato.hierarchies import HIERARCHIES, KINDS
from sfumato.run.policy import MODELS
from sfumato.run.request import option_names

DOCS = Path(__file__).parent.parent / "docs"
PYTHON = (DOCS / "reference" / "python.md").read_text(encoding="utf-8")
COMMAND_LINE = (DOCS / "reference" / "command-line.md").read_text(encoding="utf-8")
POLICY = (DOCS / "reference" / "policy.md").read_text(encoding="utf-8")
SUMMARY = (DOCS / "how-to" / "read-the-summary.md").read_text(encoding="utf-8")
CONTRIBUTING = (DOCS.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")

#: What callers get but do not make.
RESULTS = {
    "Anatomized",
    "Anatomy",
    "Certificate",
    "Frontier",
    "Preset",
    "Release",
    "Released",
    "Verification",
    "Strongest",
    "SfumatoError",
}
#: Fields that the pipeline fills and nobody else reads.
INSIDE = {
    "Release": {"origin", "originals", "promises", "row_of", "sensitive", "shown"},
    "Released": {"matching", "refuse_typos"},
    "Anatomized": set(),
    "Anatomy": {"hierarchies", "source", "tables"},
    "Verification": {"broken_rules"},
    "Strongest": set(),
    "Frontier": {"of"},
}
#: Parameters that all methods of a family share and a table of their own describes.
SHARED = {"minimize", "weights", "max_level", "exhaustive"}

COMMANDS: dict[str, Any] = typer.main.get_command(app).commands  # type: ignore[attr-defined]


def section(page: str, title: str) -> str:
    """Return what stands under a heading."""
    found = re.search(rf"^#+ {re.escape(title)}\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    assert found, f"no heading '{title}'"
    return found.group(1)


def first_cells(text: str) -> Iterator[str]:
    """Yield the first cell of every row of the tables in a text."""
    for line in text.splitlines():
        if line.startswith("| "):
            yield re.split(r"(?<!\\)\|", line)[1].strip()


def names_in(cells: Iterator[str]) -> set[str]:
    return {name for cell in cells for name in re.findall(r"`(\w+)(?:\([^`]*)?`", cell)}


def written(call: str) -> dict[str, Any]:
    """Return the parameters of a call as it is written on a page, each with its default."""
    arguments = ast.parse(f"def f{call[call.index('(') :]}: pass").body[0].args  # type: ignore[attr-defined]
    places = arguments.posonlyargs + arguments.args
    missing = [inspect.Parameter.empty] * (len(places) - len(arguments.defaults))
    defaults = [*missing, *map(ast.literal_eval, arguments.defaults)]
    by_keyword = [inspect.Parameter.empty if one is None else ast.literal_eval(one) for one in arguments.kw_defaults]
    names = [one.arg for one in (*places, *arguments.kwonlyargs)]
    return dict(zip(names, [*defaults, *by_keyword], strict=True))


def actual(thing: Callable[..., Any]) -> dict[str, Any]:
    """Return the parameters that it really has; those made by a factory show an empty value or a name."""
    return {name: one.default for name, one in inspect.signature(thing).parameters.items() if name != "caller"}


SIGNATURES = dict(re.findall(r"```python\nsf\.(\w+)(\(.*?\))(?: -> [\w.]+)?\n```", PYTHON, re.DOTALL))
FUNCTIONS = [name for name in sf.__all__ if inspect.isfunction(getattr(sf, name))]
CLASSES = [name for name in sf.__all__ if inspect.isclass(getattr(sf, name)) and name not in RESULTS]
CALLS = dict(re.findall(r"`(?:sf\.)?([A-Z]\w+)(\([^`]*\))`", PYTHON)) | SIGNATURES


def test_every_function_has_its_signature_and_only_public_ones_have() -> None:
    assert set(FUNCTIONS) <= set(SIGNATURES)
    assert set(SIGNATURES) <= set(sf.__all__)


@pytest.mark.parametrize("name", SIGNATURES)
def test_a_signature_is_what_python_has(name: str) -> None:
    assert written(SIGNATURES[name]) == actual(getattr(sf, name))


@pytest.mark.parametrize("name", [name for name in CLASSES if name not in {"Policy", "Objective"}])
def test_a_class_is_shown_with_its_parameters(name: str) -> None:
    assert name in CALLS, f"python.md does not show {name}(…)"
    has = actual(getattr(sf, name))
    shared = SHARED if set(has) >= SHARED else set()
    assert written(CALLS[name]) == {key: value for key, value in has.items() if key not in shared}


def test_a_policy_is_shown_with_its_parameters() -> None:
    assert set(written(CALLS["Policy"])) == set(actual(sf.Policy))


def test_an_objective_is_shown_with_its_parameters() -> None:
    assert names_in(first_cells(section(PYTHON, "Objective").split("`minimize=`")[0])) == set(actual(sf.Objective))


def test_every_parameter_of_anonymize_is_described() -> None:
    told = names_in(first_cells(section(PYTHON, "anonymize")))
    assert told - {"parameter"} == set(inspect.signature(sf.anonymize).parameters)
    described = re.findall(r"^    ([\w, ]+)$", inspect.getdoc(sf.anonymize) or "", re.MULTILINE)
    by_docstring = re.findall(r"^([\w, ]+)\n    \S", inspect.getdoc(sf.anonymize) or "", re.MULTILINE)
    names = {name for line in [*described, *by_docstring] for name in line.split(", ")}
    assert set(inspect.signature(sf.anonymize).parameters) <= names


@pytest.mark.parametrize("name", ["Release", "Released", "Verification", "Strongest"])
def test_every_attribute_of_a_result_is_described(name: str) -> None:
    kind = getattr(sf, name)
    has = {one for one in {*dir(kind), *kind.__dataclass_fields__} if not one.startswith("_")} - INSIDE[name]
    tables = [part for part in section(PYTHON, name).split("\n\n") if part.lstrip().startswith("| ")]
    told = set().union(*(names_in(first_cells(table)) for table in tables))
    assert told - {"attribute", "method"} == has


def test_every_public_name_is_on_the_page_and_every_name_on_it_is_public() -> None:
    named = set(re.findall(r"\bsf\.(\w+)", PYTHON)) | set(CALLS) | set(re.findall(r"^## (\w+)$", PYTHON, re.MULTILINE))
    assert set(sf.__all__) - {"__version__"} <= named
    assert {name for name in re.findall(r"\bsf\.(\w+)", PYTHON) if not hasattr(sf, name)} == set()


def told_options(text: str) -> set[str]:
    """Return the options that a text names in backticks, but for those of its examples."""
    plain = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    quoted = re.findall(r"`([^`]+)`", plain)
    return {one for piece in quoted for one in re.findall(r"(?<![\w-])(--?[a-z][\w-]*)", piece)}


def options_of(command: Any) -> set[str]:
    given = [one for one in command.params if one.param_type_name == "option"]
    return {flag for one in given for flag in (*one.opts, *one.secondary_opts)} - {"--help", "-h", "--help-all"}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_of_a_command_is_in_its_section(name: str) -> None:
    assert options_of(COMMANDS[name]) - told_options(section(COMMAND_LINE, f"sfumato {name}")) == set()


def test_every_option_on_the_page_exists() -> None:
    always = {"--version", "--help", "-h", "--help-all", "--install-completion", "--show-completion", "-m"}
    known = always.union(*(options_of(command) for command in COMMANDS.values()))
    assert told_options(COMMAND_LINE) <= known
    assert set(re.findall(r"^## sfumato (\w+)$", COMMAND_LINE, re.MULTILINE)) == set(COMMANDS)


def test_policy_files_know_every_option_hierarchy_and_model() -> None:
    [options] = [line for line in POLICY.splitlines() if line.startswith("| `[options]`")]
    assert set(option_names()) <= set(re.findall(r"`(\w+)`", options))
    rows = dict(line.strip("| ").split(" | ", 1) for line in POLICY.splitlines() if line.startswith("| `"))
    for kind, make in {**HIERARCHIES, **MODELS}.items():
        [row] = [told for names, told in rows.items() if f"`{kind}`" in names]
        assert set(inspect.signature(make).parameters) <= {*re.findall(r"`(\w+)`", row), "tree"}, kind


def test_the_summary_is_explained_line_by_line() -> None:
    people = sf.datasets.census(rows=300, seed=1)
    release = sf.anonymize(people.table, people.schema, k=5, suppression=0.05, method="mondrian")
    lines = {re.split(r"  +", line)[0] for line in release.summary().splitlines() if not line.startswith(" ")}
    assert lines <= set(re.findall(r"`([^`]+)`", " ".join(first_cells(SUMMARY))))


def test_the_map_of_the_code_has_every_part() -> None:
    rows = {part: number for number, row in enumerate(LAYERS, 1) for part in row if part != "__main__"}
    told = re.findall(r"^\| (\d+) \|([^|]*)\|", CONTRIBUTING, re.MULTILINE)
    names = {name: int(row) for row, cell in told for name in re.findall(r"`(\w+)(?:/|\.py)`", cell)}
    assert names == rows


@pytest.mark.parametrize(("one", "other"), [("mondrian", "mondrian-relaxed"), ("hilbert", "hilbert-fast")])
def test_variants_of_a_method_are_told_apart(one: str, other: str) -> None:
    assert sf.methods.find_method(one).summary != sf.methods.find_method(other).summary
    assert "strict" not in sf.methods.find_method("mondrian-relaxed").summary


def test_the_command_line_shows_how_every_kind_of_hierarchy_is_written() -> None:
    [written_as] = re.findall(r"\*\*HOW\*\* is .*?\n\n(.*?)\n\n", COMMAND_LINE, re.DOTALL)
    assert [kind.shorthand for kind in KINDS.values() if kind.shorthand not in written_as] == []
