"""Every example in the README and in ``docs/`` is run, and every link in them leads somewhere.

In one file, from top to bottom and in one empty folder:

- ``python`` blocks run in one namespace;
- lines ``$ sfumato …`` of ``console`` blocks go through the command line and must end with exit code 0;
- a comment ``<!-- no-run: reason -->`` on the line before a block leaves that block out;
- a comment that starts with ``<!-- setup`` holds Python that the reader need not see;
- a page with the comment ``<!-- needs: spark -->`` is skipped where there is no Java, but never in CI.
"""

from __future__ import annotations

import re
import shlex
import sys
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.run.large.cluster import require_spark

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
INDEX = ROOT / "docs" / "index.md"
#: Pages that the index links for others, and which those may be.
HUBS: dict[Path, Callable[[Path], bool]] = {
    ROOT / "docs" / "papers" / "index.md": lambda page: page.parent.name == "papers",
    ROOT / "docs" / "how-to" / "large-tables.md": lambda page: page.stem in {"spark", "databases"},
}

FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,}) *(?P<language>[\w+-]*)[^`]*$")
NO_RUN = re.compile(r"^\s*<!-- no-run: .*\S.*-->\s*$")
SETUP = re.compile(r"^\s*<!-- setup\s*$")
LINK = re.compile(r"\]\((?!\w+:|#)(?P<target>[^)#\s]+)(?:#[^)\s]*)?\)")
NEEDS_SPARK = "<!-- needs: spark -->"
SHELL_SYNTAX = {"|", "||", "&&", "&", ";", ">", ">>", "<"}


@dataclass(frozen=True)
class Block:
    """A piece of a page: its language, its first line in the file, its text and whether it runs."""

    language: str
    line: int
    text: str
    runs: bool = True


def blocks_of(page: str) -> Iterator[Block]:
    """Yield the fenced blocks and hidden set-ups of a page in order."""
    lines = page.splitlines()
    at = 0
    while at < len(lines):
        opening = FENCE.match(lines[at])
        if not opening and not SETUP.match(lines[at]):
            at += 1
            continue
        start = at + 1
        closing = rf"^ *{opening['ticks']}`*\s*$" if opening else r"^\s*-->\s*$"
        at = next((end for end in range(start, len(lines)) if re.match(closing, lines[end])), len(lines))
        text = textwrap.dedent("\n".join(lines[start:at]))
        runs = start < 2 or not NO_RUN.match(lines[start - 2])
        yield Block(opening["language"] if opening else "python", start + 1, text, runs)
        at += 1


def commands_of(block: Block) -> Iterator[list[str]]:
    """Yield the arguments of every ``$ sfumato`` line of a console block."""
    for line in block.text.replace("\\\n", " ").splitlines():
        words = shlex.split(line.removeprefix("$ "), comments=True) if line.startswith("$ ") else []
        if words[:1] == ["sfumato"]:
            assert not SHELL_SYNTAX & set(words), f"only plain commands can be run here: {line}"
            yield words[1:]


def run_python(block: Block, page: Path, namespace: dict[str, object]) -> None:
    # Blank lines in front make tracebacks show the line of the page.
    padded = "\n" * (block.line - 1) + block.text
    exec(compile(padded, str(page), "exec", dont_inherit=True), namespace)


def run_command(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from sfumato.cli import main  # noqa: PLC0415 - a page without commands needs no command line

    monkeypatch.setattr(sys, "argv", ["sfumato", *arguments])
    try:
        code: object = main()
    except SystemExit as stop:
        code = stop.code
    assert not code, f"sfumato {shlex.join(arguments)} ended with {code!r}"


def run_page(page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Run a page in ``folder`` and return how many blocks and commands ran."""
    monkeypatch.chdir(folder)
    namespace: dict[str, object] = {"__name__": "__page__"}
    count = 0
    for block in blocks_of(page.read_text(encoding="utf-8")):
        if block.runs and block.language in {"python", "py"}:
            run_python(block, page, namespace)
            count += 1
        elif block.runs and block.language == "console":
            for arguments in commands_of(block):
                run_command(arguments, monkeypatch)
                count += 1
    return count


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def needs_spark(page: Path) -> bool:
    return NEEDS_SPARK in page.read_text(encoding="utf-8")


MARKED = [pytest.param(page, id=name_of(page), marks=[pytest.mark.spark] * needs_spark(page)) for page in PAGES]


@pytest.mark.parametrize("page", MARKED)
def test_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if needs_spark(page):
        require_spark()
    expected = sum(
        len(list(commands_of(block))) if block.language == "console" else block.language in {"python", "py"}
        for block in blocks_of(page.read_text(encoding="utf-8"))
        if block.runs
    )
    assert run_page(page, tmp_path, monkeypatch) == expected


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_commands_stand_in_blocks_that_run(page: Path) -> None:
    for block in blocks_of(page.read_text(encoding="utf-8")):
        lines = block.text.splitlines()
        if block.language in {"", "sh", "bash", "shell", "text"}:
            assert not [line for line in lines if re.match(r"(\$ )?sfumato\b", line)], (
                f"{name_of(page)}:{block.line}: put sfumato commands in a console block, each after '$ '"
            )
        if block.language == "console":
            assert not [line for line in lines if line.startswith("sfumato ")], (
                f"{name_of(page)}:{block.line}: start a command with '$ '"
            )


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    targets = [match["target"] for match in LINK.finditer(page.read_text(encoding="utf-8"))]
    assert [target for target in targets if not (page.parent / target).exists()] == []


def linked_from(page: Path) -> set[Path]:
    text = page.read_text(encoding="utf-8")
    return {(page.parent / match["target"]).resolve() for match in LINK.finditer(text)}


def test_the_index_links_every_page() -> None:
    linked = linked_from(INDEX)
    assert linked >= set(HUBS), "the index links the hubs"
    for hub, listed in HUBS.items():
        linked |= {page for page in linked_from(hub) if listed(page)}
    pages = {page for page in PAGES if INDEX.parent in page.parents and page != INDEX}
    assert sorted(name_of(page) for page in pages - linked) == []


# The reader of pages itself

PAGE = """\
# A page

<!-- setup
from pathlib import Path
number = 40
-->

```python
number += 1
Path("made.txt").write_text(str(number))
```

<!-- no-run: needs a cluster -->
```python
raise SystemExit("must not run")
```

- in a list:

  ```python
  assert Path("made.txt").read_text() == "41"
  number += 1
  ```

```console
$ sfumato check "two words.csv" \\
    -k 3   # a comment
ok
$ ls
```
"""


def test_blocks_are_found() -> None:
    found = [(block.language, block.line, block.runs) for block in blocks_of(PAGE)]
    expected = [("python", 4, True), ("python", 9, True), ("python", 15, False), ("python", 21, True)]
    assert found == [*expected, ("console", 26, True)]


def test_commands_are_found() -> None:
    *_, console = blocks_of(PAGE)
    assert list(commands_of(console)) == [["check", "two words.csv", "-k", "3"]]


def test_a_page_runs_in_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE.partition("```console")[0], encoding="utf-8")
    assert run_page(page, tmp_path, monkeypatch) == 3
    assert (tmp_path / "made.txt").read_text() == "41"


def test_a_wrong_example_fails_with_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A page\n\n```python\n1 / 0\n```\n", encoding="utf-8")
    with pytest.raises(ZeroDivisionError) as failure:
        run_page(page, tmp_path, monkeypatch)
    assert failure.traceback[-1].lineno + 1 == 4


def test_shell_syntax_is_refused() -> None:
    with pytest.raises(AssertionError, match="plain commands"):
        list(commands_of(Block("console", 1, "$ sfumato methods --json | head")))
