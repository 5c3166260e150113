"""Progress of long work (a callback, a bar on the terminal, a line in a notebook) and the time its steps took."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from threading import Event
from typing import Any

from sfumato.errors import invalid_parameter

#: Called with the name of a stage and the share of it that is done, from 0 to 1.
Progress = Callable[[str, float], None]

#: What callers may ask for: nothing but a line when something is compiled, a bar, or a callback.
ProgressOption = bool | Progress

#: The same within one stage.
Tell = Callable[[float], object]


def silent(*ignored: object) -> None:
    """Report nothing; it serves as `Progress` and as `Tell`."""


def stage(report: Progress, name: str) -> Tell:
    """Bind the name of a stage to a progress callback."""
    return silent if report is silent else lambda share: report(name, share)


def within(tell: Tell, begin: float, end: float) -> Tell:
    """Report the share of a part of a stage, which begins and ends at these shares of the whole."""
    return silent if tell is silent else lambda share: tell(begin + share * (end - begin))


@contextmanager
def watching(tell: Tell, share: Callable[[], float]) -> Iterator[None]:
    """Report a share over and over while compiled code runs, which cannot report by itself.

    ``share`` reads how far the code is from an array that it fills. What ``tell`` raises is raised at the end.
    """
    if tell is silent:
        yield
        return
    from sfumato.common.threads import while_running  # noqa: PLC0415 (help needs no arrays)

    over, ended, raised = Event(), Event(), []

    def watch() -> None:
        try:
            while not over.wait(PACE):
                tell(min(1.0, max(0.0, share())))
        except BaseException as error:  # of the user's callback: it belongs to the caller
            raised.append(error)
        finally:
            ended.set()

    while_running(watch)
    try:
        yield
    finally:
        over.set()
        ended.wait()
    if raised:
        raise raised[0]


def scaled(tell: Tell, begin: float, length: float) -> Tell:
    """Report the share of a part as a share of the whole."""
    return lambda share: tell(begin + share * length)


#: Printed once per process, when a kernel is compiled and no bar is shown.
COMPILING = "sfumato: compiling for this kind of request, once; it takes a few seconds to half a minute."
_said: set[str] = set()

#: Callbacks for the compiler: called when a kernel is compiled.
told_of_compiling: list[Callable[[], object]] = []

#: The seconds between updates of a notebook's line, and between looks at compiled code.
PACE = 0.2


@contextmanager
def reporting(option: ProgressOption, caller: str) -> Iterator[Progress]:
    """Yield the function to report to; first-time compilation is reported as a stage of its own.

    Without progress, compilation is still announced in one line: half a minute of silence looks like a fault.
    """
    with ExitStack() as stack:
        if option is False:
            stack.enter_context(_when_compiling(_say_once))
            yield silent
            return
        if option is not True and not callable(option):
            raise invalid_parameter(caller, "progress", "True, False or a function of a stage and a share", option)
        report = option if option is not True else stack.enter_context(_line_in_notebook() if notebook() else _bar())
        stack.enter_context(_when_compiling(lambda: report("compiling, once", 0.0)))
        yield report


def notebook() -> Any:
    """IPython if this is a notebook, else None; it is not imported unless the caller runs in it."""
    shell = sys.modules.get("IPython")
    return shell if shell is not None and getattr(shell.get_ipython(), "kernel", None) is not None else None


class TimeLeft:
    """An estimate of the time that is left, from how fast the share of the work grew since it last began anew."""

    #: Seconds, and the share of the work, before which an estimate would be a guess.
    SECONDS, SHARE = 2.0, 0.02

    def __init__(self) -> None:
        self._since, self._from, self._share = 0.0, 0.0, 1.0

    def after(self, share: float, now: float) -> str:
        """Say the time left at a moment; nothing if it is too early to tell.

        >>> left = TimeLeft()
        >>> [left.after(share, now) for share, now in [(0.0, 10.0), (0.01, 11.0), (0.25, 20.0), (0.5, 130.0)]]
        ['', '', 'about 30 s left', 'about 2 min left']
        """
        if share < self._share:
            self._since, self._from = now, share
        self._share = share
        done, seconds = share - self._from, now - self._since
        if done < self.SHARE or seconds < self.SECONDS or share >= 1:
            return ""
        left = seconds * (1 - share) / done
        return f"about {left:.0f} s left" if left < 100 else f"about {left / 60:.0f} min left"


@contextmanager
def _line_in_notebook() -> Iterator[Progress]:
    """Show one line that is updated in place: a bar would need a widget, and warn if that is not installed."""
    handle = notebook().display.display({"text/plain": "starting"}, raw=True, display_id=True)
    shown, moment, left = "", 0.0, TimeLeft()

    def tell(stage: str, share: float) -> None:
        nonlocal shown, moment
        now = time.monotonic()
        if stage != shown or now - moment >= PACE:
            shown, moment = stage, now
            said = f"{stage} {share:.0%} {left.after(share, now)}".rstrip() if share else stage
            handle.update({"text/plain": said}, raw=True)

    try:
        yield tell
    finally:
        handle.update({"text/plain": ""}, raw=True)


@contextmanager
def _bar() -> Iterator[Progress]:
    from rich.console import Console  # noqa: PLC0415
    from rich.markup import escape  # noqa: PLC0415
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn  # noqa: PLC0415
    from rich.progress import Progress as Bar  # noqa: PLC0415

    console, left = Console(stderr=True), TimeLeft()
    columns = (
        TextColumn("{task.description:<34}"),
        BarColumn(max(8, min(40, console.width - 34 - 4 - 7 - 17 - 4))),
        TextColumn("{task.fields[share]:>4}"),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]:<17}"),
    )
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("starting", total=None, share="", left="")

        def tell(stage: str, share: float) -> None:
            """Move the bar; while the share of a stage is not known, it runs to and fro."""
            # A bar that was full once stops its clock, and other stages follow.
            completed, total = (min(share, 0.999), 1.0) if share else (0.0, None)
            bar.update(
                task,
                description=escape(stage),
                completed=completed,
                total=total,
                share=f"{share:.0%}" if share else "",
                left=left.after(share, time.monotonic()),
            )

        yield tell


def _say_once() -> None:
    if sys.stderr is not None and COMPILING not in _said:
        _said.add(COMPILING)
        with suppress(OSError, ValueError):  # the parent process may have closed it
            print(COMPILING, file=sys.stderr, flush=True)


@contextmanager
def _when_compiling(tell: Callable[[], object]) -> Iterator[None]:
    told_of_compiling.append(tell)
    try:
        yield
    finally:
        told_of_compiling.remove(tell)


class Clock:
    """The seconds that each step of a request took."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def measuring(self, part: str) -> Iterator[None]:
        """Add the time of a block to a step."""
        begin = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[part] = self.seconds.get(part, 0.0) + time.perf_counter() - begin

    def add(self, seconds: Mapping[str, float]) -> None:
        """Add the time that earlier steps took."""
        for part, took in seconds.items():
            self.seconds[part] = self.seconds.get(part, 0.0) + took

    def rounded(self) -> dict[str, float]:
        """The seconds of every step, rounded for manifests."""
        return {part: round(seconds, 4) for part, seconds in self.seconds.items()}
