"""The table "Where is …?" of CONTRIBUTING: every file exists, defines what the table names, and is easy to guess."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROW = re.compile(
    r"^\| (?P<question>[^|`]+(?:`[^`]+`[^|`]*)?) \| `(?P<path>[\w/]+\.py)` \| `(?P<name>\w+)` \|$", re.MULTILINE
)
ROOT = Path(__file__).parents[1]
SECTION = (
    (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("### Where is …?\n\n")[2].partition("\n\n")[0]
)
ROWS = [(found["question"], found["path"], found["name"]) for found in ROW.finditer(SECTION)]


def defined_in(path: Path) -> set[str]:
    body = ast.parse(path.read_text(encoding="utf-8")).body
    return {node.name for node in body if isinstance(node, ast.ClassDef | ast.FunctionDef)}


def test_there_are_enough_questions() -> None:
    assert len(ROWS) >= 25
    assert len(ROWS) == len([line for line in SECTION.splitlines() if line.startswith("| ")]) - 1


@pytest.mark.parametrize(("question", "path", "name"), ROWS, ids=[name for *_, name in ROWS])
def test_the_file_defines_what_is_looked_for(question: str, path: str, name: str) -> None:
    assert name in defined_in(ROOT / "src" / "sfumato" / path), question
