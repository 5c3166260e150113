"""``sfumato explain``: why a release looks as it does, and what other wishes would cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sfumato.api.policy import Policy
from sfumato.cli.options import Asked
from sfumato.cli.request import Given, columns_of, given_table, tell_remarks, to_policy
from sfumato.cli.screen import answer, answer_json, is_watched, paragraphs
from sfumato.cli.shorthand import literal, split_pair
from sfumato.errors import ParameterError
from sfumato.methods import Method
from sfumato.release.explanation import Explanation
from sfumato.release.release import Release

#: What can be tried, and how it is written.
WISHES = ("k", "suppression", "without")


@dataclass(frozen=True)
class Question:
    """What is to be explained: a row of the table, counted from 1, a column, other wishes; or all of the release."""

    row: int | None = None
    column: str | None = None
    what_if: Sequence[str] = ()

    def ask(self, release: Release) -> Explanation:
        """Let a release answer."""
        wishes: dict[str, Any] = {}
        for text in self.what_if:
            name, value = split_pair("--what-if", text, "k=20, suppression=0.02 or without=COLUMN")
            if name not in WISHES:
                raise ParameterError(f"--what-if knows {', '.join(WISHES)}, but not '{name}'.")
            if name == "without":
                wishes.setdefault(name, []).append(value)
            else:
                wishes[name] = literal(value)
        row = None if self.row is None else self.row - 1
        return release.explain(row, self.column, progress=is_watched(), **wishes)


def run(asked: Asked, given: Given, question: Question, as_json: bool) -> None:
    """Make the release in memory and explain it; nothing is written."""
    data = given_table(given.place, asked, given.read_as, given.table)
    policy = _policy(asked, columns_of(data, asked))
    source = policy.open(data)
    release: Release = policy.run(source, progress=is_watched())
    found = question.ask(release)
    tell_remarks(source)
    by_levels = policy.method.recoding == "full-domain" and question.row is None and question.column is None
    why = list(release.explanation.lines()) if by_levels else list(found.why)
    if as_json:
        levels = {"levels": release.levels} if by_levels else {}
        answer_json({**levels, "explanation": why, "what_if": list(found.what_if)})
    else:
        answer(paragraphs("\n".join([*why, *found.what_if])) if not by_levels else "\n".join([*why, *found.what_if]))


def _policy(asked: Asked, columns: Callable[[], Sequence[str]]) -> Policy:
    """Return what is asked for; where nobody names a method, by one that chooses levels."""
    if asked.method is None and asked.policy is None:
        asked = replace(asked, method="lattice")
    return to_policy(asked, columns)


def full_domain_policy(asked: Asked, columns: Callable[[], Sequence[str]]) -> Policy:
    """Return what is asked for, by a method that chooses levels."""
    policy = _policy(asked, columns)
    require_full_domain(policy.method)
    return policy


def require_full_domain(method: Method) -> None:
    """Refuse methods that have no levels to list."""
    if method.recoding != "full-domain":
        raise ParameterError(
            f"The method '{method.name}' does not choose levels, so it has no alternatives to list or to explain. "
            "Use a full-domain method, such as --method lattice or --method incognito."
        )
