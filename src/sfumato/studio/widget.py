"""``sfumato.widget``: the frontier in a notebook, drawn by the same module as in the studio."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from threading import Lock
from typing import Any

from sfumato.common.threads import while_running
from sfumato.errors import MissingExtraError
from sfumato.run.frontier import Frontier

#: The module that draws it; it has no imports, so that a notebook can load it as one file.
MODULE = Path(__file__).parent / "static" / "frontier.js"


def widget(frontier: Frontier) -> Any:
    """Show a frontier in a notebook, with a handle; it is computed in the background. Needs ``sfumato[widget]``.

    The result is an anywidget. ``widget.chosen`` is the k under the handle, and ``frontier.release(widget.chosen)`` its
    release.

    Parameters
    ----------
    frontier
        What `frontier` returned.
    """
    try:
        import anywidget  # noqa: PLC0415
        import traitlets  # noqa: PLC0415
    except ImportError:
        raise MissingExtraError("The widget of a frontier", "widget") from None

    class FrontierWidget(anywidget.AnyWidget):
        """The frontier and its handle."""

        _esm = MODULE.read_text(encoding="utf-8")
        chosen = traitlets.Int(frontier.sizes[0])

    shown = FrontierWidget()
    answers = _Answers(frontier, shown)
    shown.on_msg(lambda _, message, __: answers.hear(message))
    return shown


class _Answers:
    """Answers the messages of the picture: it asks for the points, and says which k was chosen."""

    def __init__(self, frontier: Frontier, shown: Any) -> None:
        self._frontier, self._shown = frontier, shown
        self._working = Lock()

    def hear(self, message: dict[str, Any]) -> None:
        if message.get("name") == "choose":
            self._shown.chosen = int(message["args"]["k"])
        elif message.get("name") == "frontier":
            while_running(self._send_all)

    def _send_all(self) -> None:
        """Send what is known, then what is computed; a second picture waits for the first."""
        with self._working:
            frontier = self._frontier
            self._send({"sizes": list(frontier.sizes), "chosen": self._shown.chosen})
            for point in chain(frontier.points, frontier):
                self._send({"point": point.to_dict()})
            self._shown.send({"kind": "done"})

    def _send(self, value: dict[str, Any]) -> None:
        self._shown.send({"kind": "message", "value": value})
