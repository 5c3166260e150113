"""Past memory, past one machine: the same release through an engine that holds the rows."""

from sfumato.scale.choosing import in_memory, run

__all__ = ["in_memory", "run"]
