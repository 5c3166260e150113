"""How commands end: with an exit code, and one message per mistake."""

from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import typer

from sfumato import errors
from sfumato.cli.screen import is_watched, paragraphs, say

FAILED = 1
WRONG_REQUEST = 2
BAD_DATA = 3
NOT_WRITTEN = 4
CAREFUL = 5
NOT_CHECKABLE = 6
UNEXPECTED = 70
INTERRUPTED = 130

#: What ``sfumato --help`` says about them.
MEANING = {
    0: "done, or every rule holds",
    FAILED: "the privacy asked for is not possible, or a rule is broken",
    WRONG_REQUEST: "a wrong option, column, hierarchy or policy",
    BAD_DATA: "the data cannot be read or used",
    NOT_WRITTEN: "the output cannot be written, or exists already (see --force)",
    CAREFUL: "a caution stands in the way (see --confirm and --strict)",
    NOT_CHECKABLE: "no rule is broken, but the file alone does not prove some promise",
    UNEXPECTED: "a fault of Sfumato",
    INTERRUPTED: "interrupted",
}

#: The first entry that fits decides.
CODES: tuple[tuple[type[Exception], int], ...] = (
    (errors.InfeasibleError, FAILED),
    (errors.VerificationError, FAILED),
    (errors.CautionError, CAREFUL),
    (errors.DataError, BAD_DATA),
    (errors.OutputError, NOT_WRITTEN),
    (errors.SfumatoError, WRONG_REQUEST),
)


@contextmanager
def explained() -> Iterator[None]:
    """End a command with a message and an exit code, never with a traceback."""
    try:
        yield
    except errors.SfumatoError as error:
        fitted = isinstance(error, errors.CautionError) or is_watched()
        say(paragraphs(f"Error: {error}") if fitted else f"Error: {error}")
        raise typer.Exit(next(code for kind, code in CODES if isinstance(error, kind))) from None
    except KeyboardInterrupt:
        say("\nInterrupted. No half-written file is left behind.")
        raise typer.Exit(INTERRUPTED) from None
    except MemoryError:
        say("Error: There is not enough memory for this table. Use a larger machine, or drop columns you do not need.")
        raise typer.Exit(BAD_DATA) from None
    except Exception as error:
        if isinstance(error, typer.Exit | typer.Abort) or os.environ.get("SFUMATO_DEBUG"):
            raise
        say(_unexpected(error))
        raise typer.Exit(UNEXPECTED) from None


def _unexpected(error: Exception) -> str:
    """Say what failed and where, but not the error's message: it may hold values of the table."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = "/".join(Path(frame.filename).parts[-3:])
    return (
        f"Error: Unexpected failure ({type(error).__name__} in {place}, line {frame.lineno}). "
        "No half-written file is left behind. Please report it. With the environment variable SFUMATO_DEBUG=1 you see "
        "the whole traceback; look at it before you pass it on, since it may show values of your table."
    )


def end_cleanly_when_terminated() -> None:
    """Clean up after SIGTERM and a closed terminal as after an interrupt: no half-written file stays."""
    signal.signal(signal.SIGTERM, _terminate)
    hang_up = getattr(signal, "SIGHUP", None)  # Windows has none
    if hang_up is not None and signal.getsignal(hang_up) == signal.SIG_DFL:  # nohup ignores it on purpose
        signal.signal(hang_up, _terminate)


def _terminate(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)
