"""A build hook of hatchling: tags a wheel with compiled kernels for one Python and one kind of machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class KernelsHook(BuildHookInterface):
    """Includes kernels that were compiled ahead of time, if there are any, and tags the wheel accordingly."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the kernels, which are not under version control; without them the wheel is pure Python."""
        place = "sfumato/common/numba/ahead"
        if (Path(self.root) / "src" / place).is_dir():
            build_data["force_include"][str(Path(self.root) / "src" / place)] = place
            build_data["pure_python"] = False
            build_data["infer_tag"] = True
