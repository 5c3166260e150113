"""What hatchling asks while it builds a wheel: one with compiled kernels is for one Python on one kind of machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class KernelsHook(BuildHookInterface):
    """Takes kernels that were compiled ahead along, if there are any, and names the wheel accordingly."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add what is not under version control; without it the wheel is for everybody."""
        place = "sfumato/common/numba/ahead"
        if (Path(self.root) / "src" / place).is_dir():
            build_data["force_include"][str(Path(self.root) / "src" / place)] = place
            build_data["pure_python"] = False
            build_data["infer_tag"] = True
