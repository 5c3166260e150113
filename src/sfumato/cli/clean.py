"""``sfumato clean``: remove the temporary files of runs that were killed."""

from __future__ import annotations

from sfumato.cli import options
from sfumato.cli.screen import answer


def clean(temporary: options.Temporary = None) -> None:
    """Remove the temporary files of runs that were killed."""
    from sfumato.io.temporary import remove_left_folders

    removed = remove_left_folders(temporary)
    answer(f"Removed {len(removed)} temporary folder{'' if len(removed) == 1 else 's'} that killed runs left.")
