"""Past memory, past one machine: the same release through an engine that holds the rows."""

from sfumato.run.large.check import check
from sfumato.run.large.choose import in_memory, opened, require_memory, run, writes_folder

__all__ = ["check", "in_memory", "opened", "require_memory", "run", "writes_folder"]
