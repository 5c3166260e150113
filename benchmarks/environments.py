"""Environments beside the one that the benchmarks run in, each made on first use."""

from __future__ import annotations

import os
import subprocess
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]


def environment(name: str, *packages: str) -> Path:
    """The folder with the programs of an environment that holds these packages."""
    home = ROOT / f".venv-{name}"
    ready = home / ".ready"
    if not ready.exists():
        venv.create(home, with_pip=True, clear=True)
        subprocess.run([home / "bin" / "python", "-m", "pip", "install", "-q", *packages], check=True)
        ready.touch()
    return home / "bin"


def keeping_bytecode() -> dict[str, str]:
    """The environment variables for a command that stores its bytecode, as an installed package has it."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
