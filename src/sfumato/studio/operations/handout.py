"""Screen 3: the release with everything that goes with it, and the same work as policy, command line and Python."""

from __future__ import annotations

import secrets
from typing import Any

from sfumato.studio.desk import Bench


def make(bench: Bench) -> dict[str, Any]:
    """Make, verify and write the release, the report, the certificate and the policy."""
    release = bench.policy.run(bench.table, progress=bench.tell)
    folder = bench.folder / f"made-{secrets.token_hex(8)}"
    folder.mkdir(0o700)
    verification = release.write(folder / "release.csv")
    bench.held.kept["release"] = release
    return {
        "folder": folder.name,
        "verified": verification.ok,
        "state": "green" if verification.ok else "red",
        "undecided": [],
        "page": {"title": bench.plan.title, "verdict": verification.summary()},
    }


def written(bench: Bench) -> dict[str, str]:
    """The work so far as a policy, a command line and Python."""
    return {"policy": "", "command": "", "python": ""}
