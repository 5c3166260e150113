"""Past memory, past one machine: the same release through an engine that holds the rows."""

from sfumato.run.large.choose import run_by_engine

__all__ = ["run_by_engine"]
