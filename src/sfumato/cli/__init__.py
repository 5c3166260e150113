"""The command line. Importing it is cheap: everything heavy is imported by the command that needs it."""

from __future__ import annotations


def main() -> None:
    """Run the command line."""
    try:
        # Even Typer is imported here, so that an interrupt right after the start ends as quietly as any other.
        from sfumato.cli.app import run  # noqa: PLC0415

        run()
    except KeyboardInterrupt:
        raise SystemExit(130) from None


__all__ = ["main"]
