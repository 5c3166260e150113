"""The table with hierarchies that know only the value itself and ``*``."""

from __future__ import annotations

from dataclasses import replace

from sfumato.methods.base import Task
from sfumato.privacy import Requirements


def with_two_levels(task: Task) -> Task:
    """Return the same task with every level left out between the value and ``*``."""
    domains = tuple(replace(domain, levels=(domain.levels[0], domain.levels[-1])) for domain in task.microdata.domains)
    microdata = replace(task.microdata, domains=domains)
    return replace(task, microdata=microdata, requirements=Requirements(task.requirements.models, microdata))
