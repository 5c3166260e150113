"""``sfumato explain``: why a full-domain release looks as it does, and what its neighbours would cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from sfumato.cli.options import Asked
from sfumato.cli.request import columns_of, to_policy
from sfumato.cli.screen import answer, answer_json
from sfumato.errors import ParameterError
from sfumato.methods import Method
from sfumato.policy import Policy
from sfumato.release.release import Release


def run(asked: Asked, table: Path, as_json: bool) -> None:
    """Make the release in memory and explain it; nothing is written."""
    release: Release = full_domain_policy(asked, columns_of(table, asked)).run(table)
    if as_json:
        answer_json({"levels": release.levels, "explanation": list(release.explanation.lines())})
    else:
        answer(str(release.explanation))


def full_domain_policy(asked: Asked, columns: Callable[[], Sequence[str]]) -> Policy:
    """Return what is asked for, by a method that chooses levels."""
    if asked.method is None and asked.policy is None:
        asked = replace(asked, method="lattice")
    policy = to_policy(asked, columns)
    require_full_domain(policy.method)
    return policy


def require_full_domain(method: Method) -> None:
    """Refuse methods that have no levels to explain or to list."""
    if method.recoding != "full-domain":
        raise ParameterError(
            f"The method '{method.name}' does not choose levels, so it has no alternatives to list or to explain. "
            "Use a full-domain method, such as --method lattice or --method incognito."
        )
