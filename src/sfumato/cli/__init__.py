"""The command line. Importing it is cheap: everything heavy is imported by the command that needs it."""

from __future__ import annotations

from sfumato.cli.app import app, main

__all__ = ["app", "main"]
