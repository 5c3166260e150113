"""The manifest: how a release was made and what its promises rest on, without a single original value."""

from __future__ import annotations

import platform
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from typing import Any, TypedDict, TypeVar

from sfumato.privacy import PrivacyModel
from sfumato.verify.verification import Verification

T = TypeVar("T")

#: The packages whose versions can change a result.
PACKAGES = ("sfumato", "numpy", "numba", "pyarrow", "duckdb", "narwhals")

#: A sentence that counts something, in digits or in a word.
COUNTED = re.compile(r"\d|\b(one|two|three|single|exactly)\b", re.IGNORECASE)

#: The most columns that a sentence names; the others are only counted.
NAMED = 30

#: What a hierarchy is called in a manifest if none was declared.
BY_TYPE = "by type"


@cache
def versions() -> dict[str, str]:
    """The versions of Python and of the packages that can change a result; cached, since looking them up takes time."""
    return {"python": platform.python_version()} | {name: version(name) for name in PACKAGES}


def model_record(model: PrivacyModel) -> dict[str, Any]:
    """A model's parameters; a taxonomy is only mentioned, since its rows are original values."""
    record = model.to_policy()
    if "taxonomy" in record:
        record["taxonomy"] = "given"
    return record


def method_shown(record: Any) -> Any:
    """A method's parameters; of a workload only its length, since queries name original values."""
    if isinstance(record, Mapping):
        return {key: method_shown(value) for key, value in record.items()}
    if isinstance(record, list | tuple) and record and all(isinstance(item, Mapping) for item in record):
        return f"{len(record)} queries"
    return record


class UnseenRows(TypedDict):
    """How many rows of the original a release does not show, and the share of the original that was drawn."""

    suppressed: int
    share: float


def unseen_rows(manifest: Mapping[str, Any]) -> UnseenRows:
    """Say what of the original a release does not show, for the bounds and the scale of its answers."""
    if "input" not in manifest:
        return {"suppressed": 0, "share": 1.0}
    rows, drawn_from = manifest["input"]["rows"], manifest["input"].get("drawn_from")
    suppressed = int(manifest["suppressed"]["total"])
    if drawn_from is None:
        return {"suppressed": suppressed, "share": 1.0}
    return {"suppressed": suppressed + drawn_from - rows, "share": rows / drawn_from}


def build_manifest(
    *,
    source: str,
    rows: int,
    drawn_from: int | None,
    roles: Mapping[str, str],
    hierarchies: Mapping[str, str],
    models: Sequence[PrivacyModel],
    method: Mapping[str, Any],
    options: Mapping[str, Any],
    content: bytes,
    suppressed: Mapping[str, int],
    smallest_count: int,
    singling_out: Mapping[str, float] | None,
    seconds: Mapping[str, float],
) -> dict[str, Any]:
    """Collect what is needed to reproduce a release and to judge it."""
    ends: dict[str, Any] = {} if singling_out is None else {"singling_out": singling_out}
    ends |= {"smallest_count": smallest_count} if smallest_count else {}
    return {
        "versions": dict(versions()),
        "input": {
            "kind": source,
            "rows": rows,
            **({} if drawn_from is None else {"drawn_from": drawn_from}),
            "columns": len(roles),
            "content_hash": content.hex()[:32],
        },
        "roles": dict(roles),
        "hierarchies": dict(hierarchies),
        "privacy": [model_record(model) for model in models],
        "method": method_shown(method),
        "options": dict(options),
        "suppressed": dict(suppressed),
        **ends,
        "seconds": {name: round(value, 4) for name, value in seconds.items()},
    }


#: What follows from the number of rows of the original.
OF_THE_ROWS = ("seconds", "parts")


@dataclass(frozen=True)
class Reportable:
    """Which figures may be published: counts of 1 to ``least`` - 1 people, and all from which they follow, may not.

    The manifest stays with the owner and counts exactly; summary, report, certificate, checklist and what a command
    prints ask here first.

    Attributes
    ----------
    least
        The smallest count that may be reported; 0 allows all.
    suppressed
        How many rows are not released, in total and for which reason.
    private
        Whether differential privacy is promised: it covers the released rows alone, so that no other figure of the
        original may be published.
    """

    least: int = 0
    suppressed: Mapping[str, int] = field(default_factory=dict)
    private: bool = False

    @classmethod
    def of(cls, manifest: Mapping[str, Any]) -> Reportable:
        """Find them for the release of a manifest."""
        return cls(manifest.get("smallest_count", 0), manifest["suppressed"], promises_privacy(manifest["privacy"]))

    def allows(self, count: float) -> bool:
        """Whether a count of people of the original may be reported."""
        return not self.private and self._large_enough(count)

    def _large_enough(self, count: float) -> bool:
        return count == 0 or count >= self.least

    def allows_share(self, share: float, people: int) -> bool:
        """Whether a share of people of the original may be reported: neither it nor the rest may be a small count."""
        return self.allows(round(share * people)) and self.allows(people - round(share * people))

    def allows_released(self, share: float, rows: int) -> bool:
        """Whether a share of the released rows may be reported, which every reader can count."""
        return self._large_enough(round(share * rows)) and self._large_enough(rows - round(share * rows))

    @property
    def original(self) -> bool:
        """Whether figures of the original may be reported, whose classes can have any size."""
        return not self.private and self.least <= 1

    @property
    def losses(self) -> bool:
        """Whether losses and the number of input rows may be reported: with the release they tell how many are gone."""
        return self.allows(self.suppressed.get("total", 0))

    @property
    def few(self) -> str:
        """The words for a count that may not be reported."""
        return "an undisclosed number" if self.private else f"fewer than {self.least}"

    @property
    def not_told(self) -> str:
        """The words for a figure from which such a count would follow."""
        if self.private:
            return "withheld: differential privacy covers the released rows and no other figure of the original"
        return f"withheld: a count of {self.few} people could follow from it"

    def cautions(self, cautions: Sequence[T]) -> Sequence[T]:
        """Withhold all cautions under differential privacy: whether there is one depends on the original."""
        return () if self.private else cautions

    def caution(self, caution: Mapping[str, Any]) -> dict[str, Any]:
        """Withhold what a caution counted in the original."""
        if self.original:
            return dict(caution)
        found = f"What was found is {self.not_told}." if COUNTED.search(caution["found"]) else caution["found"]
        return {**caution, "count": None, "found": found}

    def manifest(self, manifest: Mapping[str, Any]) -> dict[str, Any]:
        """Withhold what the manifest itself must not say where others may read it."""
        if self.original:
            return dict(manifest)
        withheld = {"singling_out", "searched", *(OF_THE_ROWS if self.private else ())}
        kept = {name: value for name, value in manifest.items() if name not in withheld}
        kept["cautions"] = [self.caution(one) for one in self.cautions(manifest.get("cautions", ()))]
        countable = all(self.allows(count) for count in self.suppressed.values())
        kept["suppressed"] = dict(self.suppressed) if countable else self.few
        if not self.losses:
            hidden = {"rows", *(("content_hash",) if self.private else ())}
            kept["input"] = {name: value for name, value in manifest["input"].items() if name not in hidden}
            method = manifest["method"]
            kept["method"] = {name: value for name, value in method.items() if name not in {"tried", "optimality"}}
        return kept


def promises_privacy(models: Sequence[Mapping[str, Any]]) -> bool:
    """Whether differential privacy is among the recorded models."""
    return any(model["model"] == "differential-privacy" for model in models)


@dataclass(frozen=True)
class Grounds:
    """What the statements about a release rest on, one sentence each.

    Attributes
    ----------
    proven
        What the verifier recomputed.
    source
        What it recomputed that from: the released rows alone, or also something that readers do not have.
    assumed
        What the owner declared; every promise holds only as far as this is true.
    guessed
        What Sfumato suggested and nobody declared.
    confirmed
        What somebody confirmed by name, although Sfumato asked about it.
    caveats
        What holds and yet protects nobody.
    """

    proven: tuple[str, ...] = ()
    source: str = "the released rows alone"
    assumed: tuple[str, ...] = ()
    guessed: tuple[str, ...] = ()
    confirmed: tuple[str, ...] = ()
    caveats: tuple[str, ...] = ()

    @classmethod
    def of(cls, stated: Mapping[str, Any], verification: Verification, rows: str = "released rows") -> Grounds:
        """Collect them from what a manifest states; ``rows`` names what was verified."""
        made = _Statements(stated, stated.get("roles", {}), stated.get("options", {}))
        return cls(
            proven=tuple(str(check) for check in verification.checks if check.ok),
            # what a file lacks was not read either
            source=f"the {rows} alone" if verification.not_checkable else made.source(rows),
            assumed=tuple(made.assumed()),
            guessed=tuple(made.guessed()),
            confirmed=tuple(made.confirmed()),
            caveats=verification.caveats,
        )

    @classmethod
    def recorded(cls, record: Mapping[str, Any]) -> Grounds:
        """Read them from the plain values of `to_dict`."""
        said: dict[str, Any] = {name: tuple(value) for name, value in record.items() if name != "source"}
        return cls(**said, source=record.get("source", cls.source))

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain values, ready for JSON."""
        return {name: value if name == "source" else list(value) for name, value in vars(self).items()}

    def facts(self, ok: bool = True) -> list[tuple[str, str]]:
        """Say them in a few facts, each with its name; what was proven is listed elsewhere."""
        lists = {"assumed": self.assumed, "guessed": self.guessed, "confirmed": self.confirmed}
        return [
            ("verified", f"yes, from {self.source}" if ok else "NO"),
            *(("but", caveat) for caveat in self.caveats),
            *((name, "; ".join(said)) for name, said in lists.items() if said),
        ]


@dataclass(frozen=True)
class _Statements:
    """What a manifest states, in sentences."""

    stated: Mapping[str, Any]
    roles: Mapping[str, str]
    options: Mapping[str, Any]

    @property
    def models(self) -> Sequence[Mapping[str, Any]]:
        """The parameters of every privacy model."""
        return self.stated.get("privacy", ())

    def source(self, rows: str) -> str:
        """Say what the promises were recomputed from."""
        besides = ["the column of persons"] if self._with_role("person") else []
        besides += ["the population that was given"] if self._needs_population() else []
        besides += ["the taxonomy that was given"] if any(one.get("taxonomy") for one in self.models) else []
        return f"the {rows} and {' and '.join(besides)}" if besides else f"the {rows} alone"

    def assumed(self) -> Iterator[str]:
        """What the owner declared."""
        known, plain, secret = (self._with_role(role) for role in ("quasi-identifier", "plain", "sensitive"))
        yield f"others may know {_names(known)}" if known else "others know nothing that is released"
        if plain:
            yield f"nobody can find a person by {_names(plain, 'or')}, released unchanged"
        if secret:
            yield f"nobody knows anyone's {_names(secret, 'or')} beforehand"
        yield self._persons()
        if weights := self._with_role("weight"):
            yield f"{_names(weights)} says how many people a row stands for"
        declared = [name for name, how in self.stated.get("hierarchies", {}).items() if how != BY_TYPE]
        if declared:
            yield f"the {'hierarchies' if len(declared) > 1 else 'hierarchy'} of {_names(declared)}, as declared"
        if promises_privacy(self.models):
            yield (
                "differential privacy is a property of the procedure, by its proof: rows drawn by the system's "
                "randomness, levels and types that do not depend on them; only class sizes can be recomputed from rows"
            )
            yield "no other release of these people comes out: the parameters of several releases add up"
        if self._needs_population():
            yield "the population is the one that the table was drawn from"
        if pseudonyms := list(self.options.get("pseudonymize", ())):
            yield f"nobody else has the key or the table of the pseudonyms of {_names(pseudonyms)}"
        if census := self.stated.get("preset", {}).get("census"):
            yield f"where few people live, by the census of {census}"

    def guessed(self) -> Iterator[str]:
        """What Sfumato suggested."""
        kinds = self.stated.get("kinds", {})
        undeclared = [name for name, how in self.stated.get("hierarchies", {}).items() if how == BY_TYPE]
        if undeclared:
            shown = _names([f"{name} ({kinds[name]})" if name in kinds else name for name in undeclared])
            yield f"how to generalize {shown}"
        preset = self.stated.get("preset", {})
        judged = [*preset.get("dropped", ()), *preset.get("recoded", ())]
        if judged:
            yield f"what {_names(judged)} {'hold' if len(judged) > 1 else 'holds'}, by the preset's recognizer"

    def confirmed(self) -> Iterator[str]:
        """What somebody confirmed by name."""
        # Whether guardrails asked depends on the table, so that under differential privacy only names are told.
        asked_about = () if promises_privacy(self.models) else self.stated.get("cautions", ())
        cautions = [one for one in asked_about if one["confirmed"]]
        for code in dict.fromkeys(one["code"] for one in cautions):
            columns = [name for one in cautions if one["code"] == code for name in one["columns"]]
            yield f"{code} ({_names(list(dict.fromkeys(columns)))})" if columns else code
        asked = self.stated.get("preset", {}).get("confirmed", {})
        yield from (f"{name}, which looks like {what}" for name, what in asked.items())
        known = {*asked, *(one["code"] for one in cautions), *(name for one in cautions for name in one["columns"])}
        others = [name for name in self.options.get("confirm", ()) if name not in known]
        if others:
            yield _names(others)

    def _persons(self) -> str:
        person = self._with_role("person")
        return f"{_names(person)} says whose row it is" if person else "every row is a different person"

    def _with_role(self, role: str) -> list[str]:
        return [name for name, one in self.roles.items() if one == role]

    def _needs_population(self) -> bool:
        return any("population" in one and not isinstance(one["population"], int | float) for one in self.models)


def _names(names: Collection[str], word: str = "and") -> str:
    """Join names; of many, the first ones and how many more there are."""
    shown = [*list(names)[:NAMED], *([f"{len(names) - NAMED:,} more"] if len(names) > NAMED else [])]
    return f" {word} ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)
