"""``python -m sfumato`` is the command line."""

from __future__ import annotations

from sfumato.cli import program

if __name__ == "__main__":
    program()
