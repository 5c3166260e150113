"""Results of experiments as JSON files, so that pages can be written again without running anything."""

from __future__ import annotations

import json
import os
import platform
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.papers.experiment import Panel, Size

#: Whose versions stand on the pages.
LIBRARIES = ("sfumato", "numpy", "numba", "pyarrow", "duckdb")


@dataclass(frozen=True)
class Outcome:
    """What came of an experiment: its panels, or why it was skipped; when, how large and with what it was run.

    The digest is of the code that it rests on; a search with a time limit says how long it was.
    """

    experiment: str
    size: str
    panels: list[Panel] = field(default_factory=list)
    skipped: str = ""
    seconds: float = 0.0
    ran: dict[str, Any] = field(default_factory=dict)
    digest: str = ""
    budget: str = ""

    def write(self, folder: Path) -> None:
        """Keep it in a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(asdict(self), indent=1, ensure_ascii=False)
        (folder / f"{self.experiment}.json").write_text(text + "\n", encoding="utf-8")


def read(folder: Path, name: str) -> Outcome | None:
    """The stored results of an experiment, if any."""
    file = folder / f"{name}.json"
    if not file.is_file():
        return None
    kept = json.loads(file.read_text(encoding="utf-8"))
    return Outcome(**kept | {"panels": [Panel(**panel) for panel in kept["panels"]]})


def circumstances(size: Size) -> dict[str, Any]:
    """The circumstances of a run for its page: the day, the cores, the versions."""
    versions = {name: version(name) for name in LIBRARIES}
    return {
        "size": size.name.lower(),
        "day": datetime.now(UTC).date().isoformat(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "versions": {"python": platform.python_version(), **versions},
    }
