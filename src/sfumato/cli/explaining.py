"""``sfumato explain``: why a full-domain release looks as it does, and what its neighbours would cost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from sfumato.cli.request import Request
from sfumato.cli.screen import answer, answer_json
from sfumato.errors import ParameterError
from sfumato.methods import Method
from sfumato.release.release import Release


def run(request: Request, table: Path, as_json: bool) -> None:
    """Make the release in memory and explain it; nothing is written."""
    if request.method is None and request.policy is None:
        request = replace(request, method="lattice")
    policy = request.to_policy()
    require_full_domain(policy.method)
    release: Release = policy.run(table, progress=False)
    if as_json:
        answer_json({"levels": release.levels, "explanation": list(release.explanation.lines())})
    else:
        answer(str(release.explanation))


def require_full_domain(method: Method) -> None:
    """Refuse methods that have no levels to explain or to list."""
    if method.recoding != "full-domain":
        raise ParameterError(
            f"The method '{method.name}' does not choose levels, so there are no alternatives to tell about. "
            "Use a full-domain method, such as --method lattice or --method incognito."
        )
