"""The way from a table to a release: preparing, finding classes, building the release; and the check of any table."""

from sfumato.pipeline.running import check, run, run_with, shown_as

__all__ = ["check", "run", "run_with", "shown_as"]
