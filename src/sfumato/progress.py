"""Telling how far long work is, without knowing who listens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from sfumato.errors import invalid_parameter

#: Called with the name of a stage and the share of it that is done, from 0 to 1.
Progress = Callable[[str, float], None]

#: What callers may ask for: nothing, a bar, or a function of their own.
ProgressOption = bool | Progress


#: The same within one stage.
Tell = Callable[[float], object]


def silent(stage: str, share: float) -> None:
    """Tell nobody."""


def untold(share: float) -> None:
    """Tell nobody how far a stage is."""


def stage(report: Progress, name: str) -> Tell:
    """Return what tells how far one stage is, of the steps that are told about it."""
    return lambda share: report(name, share)


@contextmanager
def reporting(option: ProgressOption) -> Iterator[Progress]:
    """Yield the function to report to; first-time compilation is reported as a stage of its own."""
    with ExitStack() as stack:
        if option is False:
            yield silent
            return
        if option is not True and not callable(option):
            raise invalid_parameter("anonymize", "progress", "True, False or a function of a stage and a share", option)
        report = stack.enter_context(_bar()) if option is True else option
        stack.enter_context(_announcing_compilation(report))
        yield report


@contextmanager
def _bar() -> Iterator[Progress]:
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn  # noqa: PLC0415
    from rich.progress import Progress as Bar  # noqa: PLC0415

    columns = TextColumn("{task.description:<34}"), BarColumn(), TimeElapsedColumn()
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=1.0)
        # A bar that was full once stops its clock, and other stages follow.
        yield lambda stage, share: bar.update(task, description=stage, completed=min(share, 0.999))


@contextmanager
def _announcing_compilation(report: Progress) -> Iterator[None]:
    from numba.core import event  # noqa: PLC0415

    class Announcer(event.Listener):
        def on_start(self, _: Any) -> None:
            report("compiling, on the first run only", 0.0)

        def on_end(self, _: Any) -> None:
            pass

    with event.install_listener("numba:compile", Announcer()):
        yield
