"""What the user decided, as plain values, and its history: undo and redo step through it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from sfumato.errors import ParameterError

#: The roles in the order of their keys on the page; the last has none.
ROLES = ("identifier", "person", "quasi-identifier", "sensitive", "plain", "weight")
#: Roles that only one column can have.
SINGLE = ("person", "weight")
#: What the report says about the release; each text has at most this many characters.
DESCRIBED = ("title", "recipient", "purpose")
LONGEST_TEXT = 500
#: The options of a policy that the page can set.
OPTIONS = ("suppression", "method", "preset", "missing", "ends")
#: Further options that are kept from the file of a policy.
KEPT = ("intervals", "keep_order", "seed", "na", "strict", "transform", "sample")
#: The most steps that can be undone.
MOST_STEPS = 500

Change = Mapping[str, Any]


@dataclass(frozen=True)
class Plan:
    """Everything that the user decided about a table; columns are numbered from 0 in the order of the table.

    Attributes
    ----------
    roles
        The role of every column.
    unsure
        The columns whose role nobody has decided yet: the profile was not sure.
    hierarchies
        The steps of columns that the user changed, as a policy writes them; the profile suggests the others.
    privacy
        The privacy models beside k, as a policy writes them; None for those that the profile suggests.
    k
        The k of k-anonymity; None for the one that the profile suggests.
    options
        Other options of the policy, such as ``suppression``; ``method`` as a policy writes it.
    confirm
        The cautions that the user confirmed, as ``confirm`` of a policy takes them.
    decided
        The concerns of page one of the report that the user has decided about; forgotten when the release changes.
    title, recipient, purpose
        What the report says about the release.
    """

    roles: tuple[str, ...]
    unsure: tuple[int, ...] = ()
    hierarchies: Mapping[str, Any] = field(default_factory=dict)
    privacy: tuple[Mapping[str, Any], ...] | None = None
    k: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    confirm: tuple[str, ...] = ()
    decided: tuple[str, ...] = ()
    title: str = ""
    recipient: str = ""
    purpose: str = ""

    @classmethod
    def of_profile(cls, columns: Sequence[Mapping[str, Any]]) -> Plan:
        """Begin with the roles that a profile suggests."""
        unsure = tuple(at for at, one in enumerate(columns) if one["certainty"] == "unsure")
        return cls(tuple(one["role"] for one in columns), unsure)

    def for_next_table(self) -> Plan:
        """The same for a table with the same columns: what was decided about this release is open again."""
        return replace(self, unsure=(), decided=())

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Plan:
        """Make a plan from the plain values of `to_dict`."""
        lists = ("roles", "unsure", "privacy", "confirm", "decided")
        read: dict[str, Any] = {
            name: tuple(one) if name in lists and one is not None else one for name, one in record.items()
        }
        return cls(**read)

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain values for JSON."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    def changed(self, change: Change) -> Plan:
        """Make the plan that follows a change: the entry ``change`` names it, the others are its arguments."""
        name = change.get("change")
        given = {key: value for key, value in change.items() if key != "change"}
        if not isinstance(name, str) or name not in _CHANGES:
            raise ParameterError(f"There is no such change of a plan. Known: {', '.join(_CHANGES)}.")
        try:
            return _CHANGES[name](self, **given)
        except TypeError:
            raise ParameterError(f"The change '{name}' was given other arguments than it takes.") from None

    def _column(self, column: object) -> int:
        if not isinstance(column, int) or isinstance(column, bool) or not 0 <= column < len(self.roles):
            raise ParameterError(f"There is no column of this number; they go from 0 to {len(self.roles) - 1}.")
        return column

    def with_role(self, column: int, role: str) -> Plan:
        """Decide the role of a column; a second person makes the first one an identifier."""
        at = self._column(column)
        if role not in ROLES:
            raise ParameterError(f"There is no such role. Known: {', '.join(ROLES)}.")
        kept = ("identifier" if one == role and role in SINGLE else one for one in self.roles)
        roles = tuple(role if place == at else one for place, one in enumerate(kept))
        unsure = tuple(one for one in self.unsure if one != at)
        return replace(self, roles=roles, unsure=unsure, decided=())

    def with_goal(self, k: int) -> Plan:
        """Ask for groups of at least k people."""
        if not isinstance(k, int) or isinstance(k, bool) or not 2 <= k <= 10**9:
            raise ParameterError("k must be a whole number of at least 2.")
        return replace(self, k=k, decided=())

    def with_privacy(self, models: Sequence[Mapping[str, Any]] | None) -> Plan:
        """Ask for other privacy models beside k, as a policy writes them; None for those that the profile suggests."""
        if models is None:
            return replace(self, privacy=None, decided=())
        if not isinstance(models, list) or not all(isinstance(one, Mapping) for one in models):
            raise ParameterError("Privacy models are a list, each as a policy writes it.")
        return replace(self, privacy=tuple(without_files(one) for one in models), decided=())

    def with_hierarchy(self, column: int, hierarchy: Mapping[str, Any] | None) -> Plan:
        """Change the steps of a column, as a policy writes them; None for those that the profile suggests."""
        at = str(self._column(column))
        if hierarchy is not None and not isinstance(hierarchy, Mapping):
            raise ParameterError("The steps of a column are written as in a policy, such as {type: 'numeric'}.")
        others = {name: record for name, record in self.hierarchies.items() if name != at}
        own = {} if hierarchy is None else {at: without_files(hierarchy)}
        return replace(self, hierarchies=others | own, decided=())

    def with_option(self, name: str, value: Any) -> Plan:
        """Set another option of the policy; None for its default."""
        if name not in OPTIONS:
            raise ParameterError("There is no such option in the studio.")
        others = {key: one for key, one in self.options.items() if key != name}
        without_files({name: value})
        return replace(self, options=others if value is None else others | {name: value}, decided=())

    def with_decision(self, concern: str, decided: bool = True) -> Plan:
        """Decide about a concern of page one, or take the decision back."""
        return replace(self, decided=_with(self.decided, concern, decided))

    def with_confirmed(self, names: Sequence[str], confirmed: bool = True) -> Plan:
        """Confirm what stands in the way, by the code of a caution or by its columns, or take that back."""
        confirm = self.confirm
        for name in names:
            confirm = _with(confirm, name, confirmed)
        return replace(self, confirm=confirm, decided=())

    def described(self, **texts: str) -> Plan:
        """Say in the report who gets the release, and what for."""
        if not texts.keys() <= set(DESCRIBED) or not all(isinstance(one, str) for one in texts.values()):
            raise ParameterError(f"A release is described by {', '.join(DESCRIBED)}.")
        shortened: dict[str, Any] = {name: one[:LONGEST_TEXT] for name, one in texts.items()}
        return replace(self, **shortened)


def without_files(record: Mapping[str, Any]) -> dict[str, Any]:
    """Refuse paths in plain values of a policy: the page has no business with other files of this machine."""
    for key, value in record.items():
        if key in {"file", "population"} or (key == "preset" and isinstance(value, str) and value.endswith(".toml")):
            raise ParameterError("The studio reads no other files: what they say has to stand in the policy itself.")
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, Mapping):
                without_files(one)
    return dict(record)


def _with(names: tuple[str, ...], name: str, wanted: bool) -> tuple[str, ...]:
    """Put a name on a list, or take it off."""
    if not isinstance(name, str) or not 0 < len(name) <= LONGEST_TEXT or not isinstance(wanted, bool):
        raise ParameterError("A decision names what it is about.")
    others = tuple(one for one in names if one != name)
    return (*others, name) if wanted else others


_CHANGES: dict[str, Callable[..., Plan]] = {
    "role": Plan.with_role,
    "goal": Plan.with_goal,
    "privacy": Plan.with_privacy,
    "hierarchy": Plan.with_hierarchy,
    "option": Plan.with_option,
    "decide": Plan.with_decision,
    "confirm": Plan.with_confirmed,
    "describe": Plan.described,
}


class History:
    """The plans of a table, of which one is in force.

    Examples
    --------
    >>> history = History(Plan(("plain", "plain")))
    >>> history.add(history.plan.changed({"change": "role", "column": 1, "role": "sensitive"}))
    >>> history.undo()
    >>> history.plan.roles, history.can_undo, history.can_redo
    (('plain', 'plain'), False, True)
    """

    def __init__(self, plan: Plan) -> None:
        self._plans = [plan]
        self._at = 0
        self._version = 1

    @property
    def plan(self) -> Plan:
        """The plan in force."""
        return self._plans[self._at]

    @property
    def etag(self) -> str:
        """A name of the state of the history, which changes with every step."""
        return f'"{self._version}"'

    @property
    def can_undo(self) -> bool:
        """Whether there is an earlier plan."""
        return self._at > 0

    @property
    def can_redo(self) -> bool:
        """Whether a step was undone."""
        return self._at + 1 < len(self._plans)

    def add(self, plan: Plan) -> None:
        """Put a plan in force; what was undone is forgotten."""
        if plan == self.plan:
            return
        self._plans = [*self._plans[: self._at + 1], plan][-MOST_STEPS:]
        self._at = len(self._plans) - 1
        self._version += 1

    def undo(self) -> None:
        """Go back by one plan."""
        self._step(-1, self.can_undo)

    def redo(self) -> None:
        """Go forward by one plan."""
        self._step(1, self.can_redo)

    def _step(self, by: int, possible: bool) -> None:
        if possible:
            self._at += by
            self._version += 1
