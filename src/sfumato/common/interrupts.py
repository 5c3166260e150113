"""Handling of Ctrl-C: it ends a search and keeps the best result so far."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType


class Interrupts:
    """A context in which the first Ctrl-C asks the search to end soon, and the second ends the program.

    Python raises `KeyboardInterrupt` anywhere, even between finding a result and storing it, so the signal is only
    noted. Handlers that the caller installed stay in place; threads other than the main one get no signals.
    """

    def __init__(self) -> None:
        self.asked = False
        self._listening = False

    def __enter__(self) -> Interrupts:
        in_main = threading.current_thread() is threading.main_thread()
        if in_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._note)
            self._listening = True
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._restore()

    def take(self, interrupt: KeyboardInterrupt) -> None:
        """Note an interrupt that was raised; re-raise the second one."""
        if self.asked:
            raise interrupt
        self.asked = True

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._restore()
        self.asked = True

    def _restore(self) -> None:
        if self._listening:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            self._listening = False
