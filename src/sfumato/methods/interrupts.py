"""An interrupt asks a search to end: what was found so far is still wanted."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType


class Interrupts:
    """While it is entered, the first Ctrl-C is noted and the search ends soon; the second one ends the program.

    Python raises `KeyboardInterrupt` wherever it happens to be, also between finding something and keeping it. So the
    signal is only noted. A handler of somebody else's is left alone, and so are threads, which get no signals.
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
        """Note an interrupt that was raised; the second one goes on its way."""
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
