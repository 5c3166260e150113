"""Running commands: in this process where that is enough, in one of their own where it is not."""

from __future__ import annotations

import random
import subprocess
import sys
from dataclasses import dataclass
from inspect import signature
from pathlib import Path

from typer.testing import CliRunner

from sfumato.cli.app import app

ROLES = ("--qi", "age", "--qi", "zip", "--sensitive", "disease", "--identifiers", "name")


@dataclass(frozen=True)
class Done:
    """What came of a command."""

    code: int
    stdout: str
    stderr: str
    exception: BaseException | None = None


#: Before version 8.2, click mixed both streams unless told otherwise.
RUNNER = CliRunner(**({"mix_stderr": False} if "mix_stderr" in signature(CliRunner).parameters else {}))


def run(*arguments: object) -> Done:
    """Run a command in this process."""
    result = RUNNER.invoke(app, [str(argument) for argument in arguments])
    return Done(result.exit_code, result.stdout, result.stderr, result.exception)


def refused(code: int, *arguments: object) -> str:
    """Run a command that is refused: its one message, in a sentence, and nothing for programs to read."""
    done = run(*arguments)
    assert (done.code, done.stdout) == (code, ""), done
    assert done.stderr.count("Error: ") == 1, done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr


def started(*arguments: object) -> Done:
    """Run a command in a process of its own."""
    command = [sys.executable, "-m", "sfumato", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    return Done(done.returncode, done.stdout, done.stderr)


def write_patients(path: Path, rows: int = 200, separator: str = ",") -> Path:
    """Write a small table of patients."""
    rng = random.Random(rows)
    lines = [separator.join(["name", "age", "zip", "disease"])]
    for number in range(rows):
        zip_code = rng.choice(["02138", "02139", "53706", "53715"])
        disease = rng.choice(["flu", "ulcer", "asthma", "angina"])
        lines.append(separator.join([f"Person{number}", str(rng.randint(18, 90)), zip_code, disease]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
