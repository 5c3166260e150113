"""How many processors this process may use; in a container or under a scheduler, fewer than the machine has."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

GROUPS, MEMBERSHIP = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")


@cache
def allowed_processors() -> int:
    """The processors that this process may use: those it may run on, or the share of time that its container gets.

    They are counted once.
    """
    return max(1, min([_usable(), *(math.ceil(quota) for quota in cpu_quotas())]))


def _usable() -> int:
    """The processors that the system lets this process run on."""
    if sys.version_info >= (3, 13):
        return os.process_cpu_count() or 1
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def cpu_quotas(root: Path = GROUPS, membership: Path = MEMBERSHIP) -> Iterator[float]:
    """Yield the limits of the control groups of this process, in processors."""
    for group in control_groups("cpu", root, membership):
        with suppress(OSError, ValueError):  # "max" means no limit
            quota, period = (group / "cpu.max").read_text(encoding="ascii").split()
            yield int(quota) / int(period)
        with suppress(OSError, ValueError):
            most, each = ((group / f"cpu.cfs_{name}_us").read_text(encoding="ascii") for name in ("quota", "period"))
            if int(most) > 0:  # -1 means no limit
                yield int(most) / int(each)


def control_groups(controller: str, root: Path = GROUPS, membership: Path = MEMBERSHIP) -> Iterator[Path]:
    """Yield the folders of the control groups that limit this process, of both versions, from its own group upwards.

    A group's limit holds for all groups below it.
    """
    if sys.platform != "linux":
        return
    with suppress(OSError, ValueError):
        for line in membership.read_text(encoding="utf-8").splitlines():
            _, controllers, name = line.split(":", 2)
            if not controllers or controller in controllers.split(","):
                yield from folders_above(root / controllers, name.strip("/"))


def folders_above(root: Path, name: str) -> Iterator[Path]:
    """Yield the folder of a control group and those above it, up to the root.

    In a container the name is often that on the host; the container's own group is then at the root.
    """
    folder = root / name
    for place in (folder, *folder.parents) if folder.is_dir() else (root,):
        yield place
        if place == root:
            return
