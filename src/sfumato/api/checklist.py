"""``sfumato.checklist``: the questions of a preset, answered by figures of a release and attacks on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sfumato.api.attack import attack
from sfumato.assess.attacks import AttackReport
from sfumato.assess.risk.records import above
from sfumato.errors import ParameterError
from sfumato.release.manifest import Reportable
from sfumato.release.release import Release
from sfumato.run.presets import Preset, Question

MET, NOT_MET, YOURS = "met", "not met", "for you to judge"


@dataclass(frozen=True)
class ChecklistAnswer:
    """The answer to a question.

    Attributes
    ----------
    question
        The question.
    figures
        What was measured, in words; empty if nothing can be.
    verdict
        ``"met"``, ``"not met"`` or ``"for you to judge"``.
    reading, stricter
        How the criterion was read for the verdict, and how it is read more strictly, where that is contested.
    strict_verdict, strict_figures
        The verdict by the stricter reading, None where there is only one reading; and what was measured for it.
    """

    question: str
    figures: str
    verdict: str
    reading: str = ""
    stricter: str = ""
    strict_verdict: str | None = None
    strict_figures: str = ""


@dataclass(frozen=True)
class Checklist:
    """The questions of a preset and their answers; it is true if none is ``not met``. It is not legal advice.

    Attributes
    ----------
    preset
        Where the questions come from, with what it does not cover.
    answers
        One per question.
    """

    preset: Preset
    answers: tuple[ChecklistAnswer, ...]

    @property
    def ok(self) -> bool:
        """Whether no criterion that can be measured is missed, by the customary reading of each."""
        return not any(one.verdict == NOT_MET for one in self.answers)

    def __bool__(self) -> bool:
        return self.ok

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain values, ready for JSON."""
        return {**self.preset.to_dict(), "ok": self.ok, "checklist": [vars(one) for one in self.answers]}

    def summary(self) -> str:
        """Write the questions with their answers, the source, and what is not covered."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        dated = f"; {self.preset.date}" if self.preset.date else ""
        yield f"{self.preset.title} ({self.preset.source}{dated})"
        for one in self.answers:
            yield f"[{one.verdict}] {one.question}{f' {one.figures}.' if one.figures else ''}"
            if one.strict_verdict is not None:
                yield f"  Read as: {one.reading}."
                measured = f" {one.strict_figures}." if one.strict_figures else ""
                yield f"  [{one.strict_verdict}] Read more strictly: {one.stricter}.{measured}"
        yield from (f"Only reported, not read in the source: {one}" for one in self.preset.reported)
        yield from (f"Not covered: {one}" for one in self.preset.not_covered)
        yield "This is not legal advice."

    def __str__(self) -> str:
        return self.summary()


def checklist(
    original: object,
    release: Release,
    preset: str | None = None,
    *,
    targets: int = 1_000,
    seed: int | None = None,
    separator: str | None = None,
) -> Checklist:
    """Answer the questions of a preset about a release: by figures, by attacks, or not at all.

    Parameters
    ----------
    original
        The table that the release was made from, as in `anonymize`.
    release
        The release.
    preset
        The name or the file of the preset; by default the one that the release was made by.
    targets, seed, separator
        As in `attack`.

    Examples
    --------
    >>> import pyarrow as pa, sfumato as sf
    >>> people = pa.table({"age": [25, 27, 41, 44], "illness": ["flu", "ulcer", "flu", "asthma"]})
    >>> release = sf.anonymize(people, quasi_identifiers="age", sensitive="illness", k=2)
    >>> [answer.verdict for answer in sf.checklist(people, release, "wp216").answers]
    ['met', 'for you to judge', 'met']
    """
    name = preset or release.manifest.get("options", {}).get("preset")
    if name is None:
        raise ParameterError("Which checklist? Name a preset, such as preset='wp216'; 'sfumato presets' lists them.")
    rules = Preset.named(name)
    asked = [(*question.attacks, *question.stricter_attacks) for question in rules.checklist]
    wanted = list(dict.fromkeys(one for names in asked for one in names))
    tried = (
        attack(original, release, attacks=wanted, targets=targets, seed=seed, separator=separator) if wanted else None
    )
    return answered(rules, release, tried)


def answered(preset: Preset, release: Release, tried: AttackReport | None) -> Checklist:
    """Answer the questions of a preset by a release and by attacks that were tried on it."""
    figures, may = figures_of(release), Reportable.of(release.manifest)
    answers = (_strictly(_answer(one, figures, tried, may), one, figures, tried, may) for one in preset.checklist)
    return Checklist(preset, tuple(answers))


def figures_of(release: Release) -> dict[str, Any]:
    """Collect the figures that questions can be about."""
    rows = max(1, release.manifest["input"]["rows"])
    return release.risk.to_dict() | {"suppressed": release.suppressed / rows}


def _answer(
    question: Question, figures: Mapping[str, Any], tried: AttackReport | None, may: Reportable
) -> ChecklistAnswer:
    if question.attacks:
        assert tried is not None
        return _by_attacks(question, tried, may)
    if question.figure is None:
        return ChecklistAnswer(question.question, "", YOURS)
    found = figure(figures, question.figure)
    said = _said(question.figure, found) if _is_told(question.figure, may) else f"It is {may.not_told}"
    if question.at_most is None or found is None:
        return ChecklistAnswer(question.question, said, YOURS)
    missed = found > 0 if question.at_most == 0 else bool(above(np.array([found]), question.at_most).any())
    return ChecklistAnswer(question.question, said, NOT_MET if missed else MET)


def _is_told(path: str, may: Reportable) -> bool:
    """Whether a figure may be published: those of the release come from its classes, none of which is small."""
    return may.losses if path == "suppressed" else may.original or not path.startswith("before")


def _strictly(
    answer: ChecklistAnswer,
    question: Question,
    figures: Mapping[str, Any],
    tried: AttackReport | None,
    may: Reportable,
) -> ChecklistAnswer:
    """Add the answer by the stricter reading of a question, if it has one."""
    if not question.stricter:
        return answer
    verdict, measured = YOURS, ""
    if question.stricter_attacks:
        assert tried is not None
        strict = _by_attacks(replace(question, attacks=question.stricter_attacks), tried, may)
        verdict, measured = strict.verdict, strict.figures
    elif question.figure is not None and question.at_most is not None:
        found = figure(figures, question.figure)
        verdict = YOURS if found is None else MET if found <= question.at_most else NOT_MET
    return replace(
        answer,
        reading=question.reading,
        stricter=question.stricter,
        strict_verdict=verdict,
        strict_figures=measured,
    )


def _by_attacks(question: Question, tried: AttackReport, may: Reportable) -> ChecklistAnswer:
    """Answer a question by attacks: it is met if none does better than guessing."""
    names = [name for name in question.attacks if name not in tried.skipped]
    outcomes = [tried[name] for name in names]
    said = [
        f"{one.attack} succeeds in {one.rate:.1%} (guessing {one.baseline:.1%}): {one.verdict}"
        if may.allows_share(one.rate, one.trials)
        else f"{one.attack}: {one.verdict}"
        for one in outcomes
    ]
    said += [
        f"{name} was not tried, it needs {needs}" for name, needs in tried.skipped.items() if name in question.attacks
    ]
    if not outcomes:
        return ChecklistAnswer(question.question, "; ".join(said), YOURS)
    missed = any(one.better_than_guessing for one in outcomes)
    return ChecklistAnswer(question.question, "; ".join(said), NOT_MET if missed else MET)


def figure(figures: Any, path: str) -> float | None:
    """Look up the figure at a path; the largest one if ``*`` stands for several.

    >>> figure({"after": {"sensitive": {"a": {"certain": 0.1}, "b": {"certain": 0.4}}}}, "after.sensitive.*.certain")
    0.4
    """
    first, _, rest = path.partition(".")
    if first == "*":
        found = [one for each in figures.values() if (one := figure(each, rest)) is not None]
        return max(found, default=None)
    if not isinstance(figures, Mapping) or first not in figures:
        raise ParameterError(f"There is no figure '{first}' to ask for in a checklist.")
    value = figures[first]
    return figure(value, rest) if rest else (None if value is None else float(value))


def _said(path: str, found: float | None) -> str:
    if found is None:
        return "It could not be measured"
    return f"It is {found:,.0f}" if path.endswith("unique") else f"It is {found:.4g}"
