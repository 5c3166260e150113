"""What the rows of a file can prove of a promise when the file lacks something that the promise is about.

A certificate keeps some details to itself, since they may list original values, and a released file does not say whose
row is whose. Such a promise cannot be recomputed, but what follows from it can: ten people have at least ten rows.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from sfumato.errors import ParameterError, listed
from sfumato.verify.release import ABOUT_POPULATION, Requirement, check_requirement, verify_release

#: What stands in place of a detail that may list original values.
GIVEN = "given"

#: How to check promises about people whose rows a file does not tell apart.
ONLY_WITH_PEOPLE = (
    "Only whoever has the original can count people, as Sfumato does before it writes a release. Anybody can check a "
    "release that shows pseudonyms of the people (pseudonymize=, on the command line --pseudonymize)."
)
#: How to check promises of which a certificate withholds a part.
OWNER_CHECKS = "The owner can check them with the policy of the release (policy, on the command line --policy)."

#: The details that may be withheld; everything else about a promise has to be said.
WITHHELD = {
    "t-closeness": {"taxonomy"},
    "minimum-span": {"order", "labels"},
    **{model: {"population", "taxonomies", "labels", "orders"} for model in ABOUT_POPULATION},
}


@dataclass(frozen=True)
class Provable:
    """What rows can prove of a promise.

    Attributes
    ----------
    promised
        The promise itself, where rows prove all of it.
    follows
        What follows from the promise and can be counted in rows.
    lacking
        What the file lacks to prove all of it; None if it lacks nothing.
    advice
        How it can be checked then.
    """

    promised: Requirement | None
    follows: Requirement | None = None
    lacking: str | None = None
    advice: str = field(default="", repr=False)


def provable(
    promise: Requirement, quasi_identifiers: Sequence[str], sensitive: Sequence[str], people: bool = False
) -> Provable:
    """Tell what rows can prove of a promise; one that no table could keep, or that is not said fully, is refused.

    Parameters
    ----------
    promise
        The promise, with ``"given"`` in place of details that are withheld.
    quasi_identifiers, sensitive
        As in `verify_release`.
    people
        Whether the promise counts people who may have several rows.

    Examples
    --------
    >>> provable({"model": "k-anonymity", "k": 10}, ["age"], [], people=True)
    Provable(promised=None, follows={'model': 'k-anonymity', 'k': 10}, lacking='whose row is whose')
    """
    said = _without_needless(promise)
    withheld = [name for name in said if said[name] == GIVEN and name in WITHHELD.get(str(said.get("model")), ())]
    _refuse_meaningless(said, withheld, quasi_identifiers, sensitive)
    if withheld:
        return Provable(None, None, f"what was given as {listed(withheld)}", OWNER_CHECKS)
    if people and said["model"] != "minimum-span":
        follows = FOLLOWS.get(said["model"])
        return Provable(None, None if follows is None else follows(said), "whose row is whose", ONLY_WITH_PEOPLE)
    return Provable(said)


def promise_in_words(promise: Requirement) -> str:
    """Name a promise with its details, other than those that list values.

    >>> promise_in_words({"model": "l-diversity", "l": 2, "column": "disease"})
    'l-diversity (l=2, column=disease)'
    """
    details = ", ".join(
        f"{name}={value}"
        for name, value in promise.items()
        if name != "model" and value != GIVEN and isinstance(value, str | int | float)
    )
    return f"{promise['model']} ({details})" if details else str(promise["model"])


def _without_needless(promise: Requirement) -> dict[str, Any]:
    """Leave out a taxonomy that the distance of t-closeness does not look at, so that it withholds nothing."""
    needless = promise.get("model") == "t-closeness" and promise.get("distance", "equal") != "hierarchical"
    return {name: value for name, value in promise.items() if not (needless and name == "taxonomy")}


def _refuse_meaningless(
    said: Requirement, withheld: Sequence[str], quasi_identifiers: Sequence[str], sensitive: Sequence[str]
) -> None:
    """Let the verifier read the promise for a table without rows: it refuses what it could not check as intended."""
    odd = [name for name, value in said.items() if isinstance(value, bool) or not isinstance(value, str | int | float)]
    if odd:
        raise ParameterError(f"A promise says its details as numbers and words, but not {listed(odd)}.")
    check_requirement(said, sensitive)
    names = list(dict.fromkeys([*quasi_identifiers, *sensitive]))
    nobody = pa.table({name: pa.array([], pa.string()) for name in names})
    filled = {name: value for name, value in said.items() if name not in withheld}
    filled |= {"population": nobody} if "population" in withheld else {}
    verify_release(nobody, quasi_identifiers, sensitive, [filled])


def _as_many_values(promise: Requirement) -> Requirement:
    """The different values that a class needs: among d values, one is had by a d-th of the people at least."""
    column = {} if promise.get("column") is None else {"column": promise["column"]}
    return {"model": "l-diversity", "l": promise["l"], "kind": "distinct", **column}


def _all_values(promise: Requirement) -> Requirement:
    """Every class needs every value of the table; how often it has each does not matter to rows."""
    column = {} if promise.get("column") is None else {"column": promise["column"]}
    return {"model": "delta-disclosure", "delta": sys.float_info.max, **column}


#: What follows from a promise about people for their rows: a person has at least one, and every person alone in a row
#: is a person alone. Means and shares of people are at least those of rows.
FOLLOWS: Mapping[str, Callable[[Requirement], Requirement]] = {
    "k-anonymity": dict,
    "average-risk": dict,
    "unique-share": dict,
    "l-diversity": _as_many_values,
    "delta-disclosure": _all_values,
}
