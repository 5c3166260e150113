"""Past memory, past one machine: the same release through an engine that holds the rows."""

from sfumato.scale.choosing import run

__all__ = ["run"]
