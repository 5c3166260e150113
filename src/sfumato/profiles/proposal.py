"""Propose a policy that keeps what it promises without a warning: columns, models and what each of them costs.

What a release loses cannot be told from a profile, so that candidates are tried: small releases that nobody sees.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.assess.cautions.caution import Caution
from sfumato.assess.cautions.missing_codes import OLDEST, YOUNGEST
from sfumato.assess.cautions.rows_view import count_unique, fingerprints
from sfumato.assess.meaning.facts import ColumnCounts
from sfumato.common.grouping import folded
from sfumato.hierarchies import Taxonomy
from sfumato.methods import find_method
from sfumato.privacy import KAnonymity, LDiversity, PrivacyModel, TCloseness
from sfumato.profiles.hierarchies import is_coded, round_width
from sfumato.profiles.ranking import MOST_CORE, known_beside, restates
from sfumato.profiles.report import ColumnProfile, Profile
from sfumato.profiles.roles import usable_weights
from sfumato.run.request import Request
from sfumato.table.schema import Declared, Schema
from sfumato.table.transforms import Fold, Round

#: The most sensitive columns that are proposed, each with a model of its own.
MOST_SENSITIVE = 5
#: The share of rows that sensitive columns may single out, alone and together, before guardrails would warn.
ALONE, TOGETHER = 0.05, 0.08
#: Sensitive numbers with more distinct values are rounded, to about this many steps.
EXACT, STEPS = 20, 10
#: What a table is most often about: these sensitive columns come first.
FIRST = ("disease", "outcome", "treatment", "crime", "money")
#: A sensitive column that says the same of more rows tells little.
NEARLY_ALL = 0.9
#: What a model may add to the loss; one that costs more is not proposed.
MOST_ADDED = 0.15
#: The most tries to find roles that raise no warning, and columns whose cost is tried one by one.
MOST_TRIES, MOST_PRICED = 25, 12
#: The method of trial releases: the fastest that keeps every model.
TRIED_WITH = "mondrian"
#: How many rows must share a value on average before another column can be said to follow from it, or to say the same.
REPEATED, ALIKE = 10, 2
#: Why a column is left out, by what a caution would say of it.
QUESTIONED = {
    "tells-hidden": "it would tell more closely what a quasi-identifier hides",
    "unique-rows": "together with other columns it points to single rows",
    "near-unique": "its values point to single rows",
    "plain-identifies": "its values point to single rows",
    "lost-column": "nothing would be left of it",
    "same-words": "it has several words for one thing; make them one, and it can be taken",
    "odd-ages": "it holds ages that nobody has; correct them, and it can be taken",
}
#: Topics of which one is nothing without the other, and the correlation from which two numbers say the same.
COORDINATES, TOGETHER_RISING = frozenset({"latitude", "longitude"}), 0.97
#: How much of a column's detail a release must keep by one more quasi-identifier, by who knows it.
WORTH = (0.1, 0.3, 0.6)


@dataclass(frozen=True)
class Outcome:
    """What a trial release lost, and what guardrails said; without a loss it is impossible."""

    loss: float | None
    cautions: tuple[Caution, ...] = ()

    @property
    def questioned(self) -> list[Caution]:
        """The cautions that a careful owner has to answer."""
        return [one for one in self.cautions if one.severity != "note" and not one.confirmed]


Attempt = Callable[[Request], Outcome]


@dataclass
class Proposal:
    """Roles and models to begin with.

    Attributes
    ----------
    folded
        The columns whose values differ in blanks and capitals only, and are made one.
    left
        The columns that are left out for now, with the reason.
    prices
        What a column that is left out, or a model that is asked for, adds to the loss.
    loss, all_loss
        The estimated loss of the proposed policy, and with all quasi-identifiers; None if no try succeeded.
    complete
        Whether every column has got its place.
    """

    profile: Profile
    roles: Mapping[str, str]
    k: int
    options: Mapping[str, Any]
    quasi_identifiers: list[str] = field(default_factory=list)
    sensitive: list[str] = field(default_factory=list)
    plain: list[str] = field(default_factory=list)
    models: dict[str, PrivacyModel] = field(default_factory=dict)
    transform: dict[str, Round] = field(default_factory=dict)
    folded: set[str] = field(default_factory=set)
    left: dict[str, str] = field(default_factory=dict)
    prices: dict[str, str] = field(default_factory=dict)
    loss: float | None = None
    all_loss: float | None = None
    complete: bool = False

    def request(self, *, more: Sequence[str] = (), model: PrivacyModel | None = None) -> Request:
        """The policy so far, with more quasi-identifiers or another model."""
        by_role = {role: [name for name, one in self.roles.items() if one == role] for role in set(self.roles.values())}
        person = by_role.get("person", [])
        shown = [*self.quasi_identifiers, *more]
        folds = {name: Fold(case=True) for name in (*shown, *self.sensitive) if name in self.folded}
        declared = self.profile.hierarchies(shown).items()
        schema = Schema(
            {name: _below_folded(how) if name in folds else how for name, how in declared},
            sensitive=self.sensitive,
            identifiers=[*by_role.get("identifier", []), *person[1:]],
            plain=self.plain,
            rest="drop" if self.left or not self.complete else None,
            person=person[0] if person else None,
            survey_weights=self.profile.weight_among(self.roles),
        )
        privacy = [KAnonymity(self.k), *self.models.values(), *([] if model is None else [model])]
        changed = {**self.transform, **folds}
        transform = {"transform": changed} if changed else {}
        return Request(schema, privacy, **{**self.options, **transform}, caller="Policy")

    def leave(self, name: str, why: str) -> None:
        """Leave a column out for now."""
        for chosen in (self.quasi_identifiers, self.sensitive, self.plain):
            if name in chosen:
                chosen.remove(name)
        self.models.pop(name, None)
        self.transform.pop(name, None)
        self.prices.pop(name, None)
        self.left[name] = why


def propose(
    profile: Profile, roles: Mapping[str, str], k: int, options: Mapping[str, Any], attempt: Attempt
) -> Proposal:
    """Propose columns and models that a release can keep without a warning."""
    found = Proposal(profile, roles, k, {**options, **_without_odd_ages(profile, roles, options)})
    found.folded |= _to_fold(profile, roles)
    fast = _with_method(attempt)
    _take_core(found, fast)
    _leave_half_places(found)
    taken = profile.weight_among(roles)
    for name in [name for name, role in roles.items() if role == "weight" and name != taken]:
        usable = usable_weights(profile[name].facts)
        why = "a release shows one column of them" if usable else "some rows have none, or none above 0"
        found.leave(name, f"more survey weights; {why}")
    _take_sensitive(found, fast)
    found.complete = True
    found.plain = [name for name, role in roles.items() if role == "plain"]
    before = dict(found.left)
    _answer_guardrails(found, attempt)
    found.loss = fast(found.request()).loss
    if found.left != before:
        _price_models(found, fast)
    _price_left(found, fast)
    return found


def _without_odd_ages(
    profile: Profile, roles: Mapping[str, str], options: Mapping[str, Any]
) -> dict[str, dict[str, Sequence[str]]]:
    """Take ages that nobody has for missing ones."""
    names = [name for one in profile.cautions_for(roles) if one.code == "odd-ages" for name in one.columns]
    na = dict(options.get("na", {}))
    for name in names:
        odd = [one for one in profile[name].facts.numbers if not YOUNGEST <= one <= OLDEST]
        na[name] = [*na.get(name, ()), *(str(int(one)) if one.is_integer() else str(one) for one in odd)]
    return {"na": na} if names else {}


def _to_fold(profile: Profile, roles: Mapping[str, str]) -> set[str]:
    """Find the columns whose values look alike, as 'Berlin' and 'berlin ' do."""
    alike = {"look-alikes", "same-words"}
    found = {name for one in profile.cautions_for(roles) if one.code in alike for name in one.columns}
    return {name for name in found if profile[name].facts.is_text}


def _below_folded(declared: Declared) -> Declared:
    """The hierarchy of a column whose values are folded."""
    if not isinstance(declared, Taxonomy):
        return declared
    values = folded(pa.array([row[0] for row in declared.rows], pa.string()), case=True).to_pylist()
    rows = dict(zip(values, (row[1:] for row in declared.rows), strict=True))
    return Taxonomy([[value, *above] for value, above in rows.items()])


def _with_method(attempt: Attempt) -> Attempt:
    return lambda request: attempt(replace(request, method=find_method(TRIED_WITH)))


def _take_core(found: Proposal, attempt: Attempt) -> None:
    """Take quasi-identifiers one by one, the best known first, as long as more detail is kept with them than without.

    A column that is left out loses all of its detail, and one that is taken costs detail of the others. What is only
    guessed to be known has to keep more.
    """
    profile, kept, tried = found.profile, 0.0, 0
    for one in profile.ranked(found.roles):
        taken, column = found.quasi_identifiers, profile[one.name].candidate
        beside = [profile[name].candidate for name in taken]
        worth = WORTH[0 if one.core else known_beside(column, beside)]
        if restates(column, beside):
            found.left[one.name] = "another column says how old they are"
        elif same := next((name for name in taken if _follows(profile, one.name, name)), None):
            found.left[one.name] = f"it follows from {same}"
        elif same := next((name for name in taken if _nearly(profile, one.name, name)), None):
            found.left[one.name] = f"it says nearly the same as {same}"
        elif len(taken) == MOST_CORE or tried == MOST_TRIES:
            found.left[one.name] = f"{one.reason}; a first policy takes at most {MOST_CORE} quasi-identifiers"
        elif (now := _detail(found, one.name, attempt)) >= kept + worth or not taken:
            taken.append(one.name)
            kept, tried = now, tried + 1
        else:
            found.left[one.name] = f"{one.reason}, but little would be left of it, or of the others beside it"
            tried += 1


def _follows(profile: Profile, name: str, taken: str) -> bool:
    """Whether the values of a column follow from those of one that is taken; from rare values everything does."""
    column, known = profile[name].facts, profile[taken].facts
    often = ALIKE if column.different == known.different else REPEATED
    topic = profile[name].candidate.topic
    if topic is not None and topic == profile[taken].candidate.topic and _are_bands(column, known):
        return True
    if column.different > known.different or known.different * often > known.rows:
        return False
    pairs = np.unique(fingerprints([known.codes.astype(np.int64) + 1, column.codes.astype(np.int64) + 1]))
    return len(pairs) == len(np.unique(known.codes))


def _are_bands(column: ColumnCounts, known: ColumnCounts) -> bool:
    """Whether the values of a column are bands of numbers, each of all numbers from one to another."""
    if not known.is_number or column.different * REPEATED > known.different:
        return False
    both = (column.codes >= 0) & (known.codes >= 0)
    order = np.argsort(_numbers(known)[known.codes[both]], kind="stable")
    bands = column.codes[both][order]
    return np.count_nonzero(np.diff(bands)) == len(np.unique(bands)) - 1 > 0


def _nearly(profile: Profile, name: str, taken: str) -> bool:
    """Whether numbers on one topic rise together, as an age in months does with one in years."""
    column, known = profile[name], profile[taken]
    if column.candidate.topic is None or column.candidate.topic != known.candidate.topic:
        return False
    if column.candidate.of_others != known.candidate.of_others or not (
        column.facts.is_number and known.facts.is_number
    ):
        return False
    both = (column.facts.codes >= 0) & (known.facts.codes >= 0)
    if np.count_nonzero(both) < REPEATED or min(column.facts.different, known.facts.different) < REPEATED:
        return False
    numbers = [_numbers(one.facts)[one.facts.codes[both]] for one in (column, known)]
    return bool(np.ptp(numbers[0]) and np.ptp(numbers[1]) and np.corrcoef(*numbers)[0, 1] > TOGETHER_RISING)


def _numbers(facts: ColumnCounts) -> NDArray[np.float64]:
    numbers: NDArray[np.float64] = facts.values.cast("float64", safe=False).to_numpy(zero_copy_only=False)
    return numbers


def _leave_half_places(found: Proposal) -> None:
    """Take both coordinates or none, since half of a place is none."""
    topics = {found.profile[name].candidate.topic: name for name in found.quasi_identifiers}
    halves = [name for topic, name in topics.items() if topic in COORDINATES]
    if len(halves) == 1:
        found.leave(halves[0], "half of a coordinate is no place, and the other half is left out")


def _detail(found: Proposal, name: str, attempt: Attempt) -> float:
    """How many columns' detail the quasi-identifiers keep together with one more; 0 if one keeps hardly any."""
    outcome = attempt(found.request(more=[name]))
    lost = any(one.code == "lost-column" for one in outcome.questioned)
    return 0.0 if outcome.loss is None or lost else (len(found.quasi_identifiers) + 1) * (1 - outcome.loss)


def _take_sensitive(found: Proposal, attempt: Attempt) -> None:
    """Take sensitive columns that single nobody out, each with a model that costs little."""
    base = found.loss = attempt(found.request()).loss
    together: list[NDArray[np.int64]] = []
    columns = [one for one in found.profile.columns if found.roles[one.name] == "sensitive"]
    for column in sorted(columns, key=_about):
        step = rounding_step(column)
        codes = _rounded(column.facts, step)
        rows = column.facts.rows
        if len(found.sensitive) == MOST_SENSITIVE:
            found.left[column.name] = f"a first policy protects at most {MOST_SENSITIVE} sensitive columns"
        elif same := next((name for name in found.sensitive if _alike(found.profile, column.name, name)), None):
            found.left[column.name] = f"it says the same as {same}"
        elif count_unique(fingerprints([codes])) > ALONE * rows:
            found.left[column.name] = "its values point to single rows"
        elif count_unique(fingerprints([*together, codes])) > TOGETHER * rows:
            found.left[column.name] = "together with the other sensitive columns it points to single rows"
        else:
            found.sensitive.append(column.name)
            found.transform |= {} if step is None else {column.name: Round(step)}
            if _protect(found, column, codes, base, attempt):
                together.append(codes)


def _about(column: ColumnProfile) -> tuple[bool, int, int, float]:
    """Sort by what tables are most often about; what is nearly the same in all rows, and what is guessed, come last."""
    topic = column.candidate.topic
    certainty = ("sure", "likely", "unsure").index(column.suggestion.certainty)
    subject = FIRST.index(topic) if topic in FIRST else len(FIRST)
    same = max(column.facts.largest_share, column.facts.missing / max(1, column.facts.rows))
    return same > NEARLY_ALL, certainty, subject, round(same, 1)


def _alike(profile: Profile, one: str, other: str) -> bool:
    return _follows(profile, one, other) and _follows(profile, other, one)


def rounding_step(column: ColumnProfile) -> float | None:
    """The step to round to, for amounts and measurements with many values; None where it would change nothing."""
    facts = column.facts
    if not _is_measured(column):
        return None
    values = np.repeat(_numbers(facts), facts.counts)
    low, high = np.quantile(values, (0.05, 0.95))
    # What is far below most values must not become 0: a step is a part of the middle of what is not 0.
    middle = float(np.median(np.abs(values[values != 0])))
    step = round_width(min(float(high - low) / STEPS, middle / 8))
    if facts.is_whole and step <= 1:
        return None
    return int(step) if step >= 1 else step


def _is_measured(column: ColumnProfile) -> bool:
    """Whether a column holds amounts or measurements with many values; codes are none."""
    coded = column.kind not in {"amount", "number"} or is_coded(column.facts, column.candidate.topic)
    return column.facts.is_number and column.facts.different > EXACT and not coded


def _rounded(facts: ColumnCounts, step: float | None) -> NDArray[np.int64]:
    if step is None:
        return facts.codes.astype(np.int64) + 1
    steps = np.unique(np.floor(_numbers(facts) / step + 0.5), return_inverse=True)[1]
    return np.where(facts.codes >= 0, steps[facts.codes] + 1, 0).astype(np.int64)


def _protect(
    found: Proposal, column: ColumnProfile, codes: NDArray[np.int64], base: float | None, attempt: Attempt
) -> bool:
    """Find the strongest model that the table can keep at a bearable cost; leave the column out if there is none."""
    cheapest: tuple[float, PrivacyModel] | None = None
    for model in _models(column, codes):
        loss = attempt(found.request(model=model)).loss
        if loss is None:
            continue
        if base is None or loss <= base + MOST_ADDED:
            found.models[column.name] = model
            found.prices[column.name] = _price(found.loss or 0.0, loss)
            found.loss = loss
            return True
        cheapest = (loss, model) if cheapest is None or loss < cheapest[0] else cheapest
    told = f"; {in_words(cheapest[1])} would raise the loss to {cheapest[0]:.3f}" if cheapest else ""
    found.leave(column.name, f"no model protects it at a bearable cost{told}")
    return False


def in_words(model: PrivacyModel) -> str:
    """Name a model with its parameter, as policies do."""
    said = model.to_policy()
    return f"{said['model']}, {'l' if 'l' in said else 't'} = {said.get('l', said.get('t'))}"


def _models(column: ColumnProfile, codes: NDArray[np.int64]) -> Iterator[PrivacyModel]:
    """Yield models for a sensitive column, the strongest first."""
    name = column.name
    largest = np.bincount(codes).max(initial=0) / max(1, len(codes))
    ordered = _is_measured(column)
    if not ordered:
        yield from (LDiversity(l, column=name) for l in (3, 2) if largest <= 0.8 / l)  # noqa: E741
    distance = "ordered" if ordered else "equal"
    yield from (TCloseness(t, distance=distance, column=name) for t in (0.2, 0.3, 0.5))


def _answer_guardrails(found: Proposal, attempt: Attempt) -> None:
    """Try the policy itself, and leave out what guardrails would question, until they are silent."""
    for _ in range(MOST_TRIES):
        outcome = attempt(found.request())
        answered = [name for one in outcome.questioned if (name := _to_leave(found, one)) is not None]
        if not answered:
            return
        codes = {name: one.code for one in outcome.questioned if (name := _to_leave(found, one)) is not None}
        found.leave(
            answered[0], QUESTIONED.get(codes[answered[0]], f"a caution would be about it ({codes[answered[0]]})")
        )


def _to_leave(found: Proposal, caution: Caution) -> str | None:
    """The column to leave out because of a caution; None if that would not help."""
    quasi = found.quasi_identifiers
    chosen = [name for name in caution.columns if name in {*found.sensitive, *found.plain}]
    if chosen:
        return max(chosen, key=lambda name: found.profile[name].facts.different)
    named = [name for name in caution.columns if name in quasi]
    return named[0] if named and len(quasi) > 1 else None


def _price_models(found: Proposal, attempt: Attempt) -> None:
    """Price the models again, one after the other, for the columns that are left."""
    models, found.models = found.models, {}
    loss = attempt(found.request()).loss
    for name, model in models.items():
        found.models[name] = model
        now = attempt(found.request()).loss
        if loss is not None and now is not None:
            found.prices[name] = _price(loss, now)
        loss = now


def _price(before: float, after: float) -> str:
    if f"{before:.3f}" == f"{after:.3f}":
        return f"the estimated loss stays at {after:.3f}"
    verb = "raises" if after >= before else "changes"
    return f"it {verb} the estimated loss from {before:.3f} to {after:.3f}"


def _price_left(found: Proposal, attempt: Attempt) -> None:
    """Try what each quasi-identifier that is left out would cost, and all of them together."""
    asked = [one.name for one in found.profile.ranked(found.roles) if one.name in found.left]
    for name in asked[:MOST_PRICED]:
        loss = attempt(found.request(more=[name])).loss
        if loss is not None and found.loss is not None:
            found.prices[name] = f"with it the loss would be {loss:.3f} instead of {found.loss:.3f}"
    found.all_loss = attempt(found.request(more=asked)).loss if asked else None
