"""A first policy: a commented file to read and change, and hierarchy files beside it."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sfumato.assess.cautions.caution import Caution
from sfumato.common.toml import key_text, value_text
from sfumato.errors import listed, printable
from sfumato.hierarchies import Categorical, Dates, Numeric, Taxonomy
from sfumato.hierarchies.files import write_rows
from sfumato.io import write_text
from sfumato.privacy import KAnonymity, LDiversity, PrivacyModel
from sfumato.profiles.proposal import Attempt, Proposal, in_words, propose
from sfumato.profiles.report import Profile
from sfumato.run.policy import policy_record
from sfumato.run.request import AUTO, Request
from sfumato.table.schema import Schema

#: A sensitive column is protected by l-diversity if no value has more than this share of the rows.
MOST_FREQUENT = 0.4
#: The suggested l, and the most columns that it is suggested for.
DIVERSITY, MOST_DIVERSE = 2, 3
DELIMITER = ";"
#: The most letters of a column's name in the name of its file, since file systems limit names to some 250.
LONGEST_SLUG = 60

HEADER = """\
# A policy to begin with, from {rows:,} rows and {columns} columns. Every line is a suggestion: read it, and change what
# you know better. Then:  sfumato anonymize {table} -o release.csv --policy {policy}
"""
LISTED = """\
# The hierarchy files beside it hold the values of their columns: keep them as private as the table.
"""
SAID = {
    "identifiers": "Never released: they name people, or can say anything about them.",
    "person": "Whose row it is; never released. People are counted, not rows.",
    "weights": "How many people a row stands for; released as the mean of those who look alike.",
    "sensitive": "Nobody should learn whose value is whose.",
    "plain": "Released as they are.",
    "rest": "What is named nowhere is left out of the release. These columns are, for now:",
    "left": "Left out for now; without the first '#' they are quasi-identifiers too. What that costs is estimated:",
    "quasi_identifiers": "What others may know or see: made coarser until enough people look alike.",
    "flat": "'categorical': kept or '*'; 'sfumato hierarchy {table} COLUMN -o FILE' lists the values to group.",
    "privacy": "How safe the release must be.",
    "options": "All else; 'sfumato anonymize --help' lists more.",
}
OPTIONS = {
    "suppression": "the share of rows that may be left out; 0.02 often keeps more of all others",
    "missing": "a missing value is a value of its own; 'suppress' leaves such rows out",
    "ends": "where intervals end: 'grid' for round values; 'data' for values of the table, narrower but of somebody",
    "na": "values that mean 'no value'",
    "strict": "true: write nothing if there is a warning that is not confirmed",
}


@dataclass(frozen=True)
class Draft:
    """A first policy, drafted from a profile.

    Attributes
    ----------
    policy
        The policy, its listed hierarchies still in memory.
    reasons
        Why every column has its role.
    listed
        The hierarchies that go into files, by column.
    rows
        The number of rows of the profile.
    proposal
        What was tried: the columns that are left out for now, and what they and the models cost; None if nothing was.
    """

    policy: Request
    reasons: Mapping[str, str]
    listed: Mapping[str, Taxonomy] = field(repr=False)
    rows: int
    proposal: Proposal | None = None

    def files(self, path: Path) -> dict[str, Path]:
        """Choose paths for the listed hierarchies, beside the policy."""
        taken: dict[str, Path] = {}
        for name in self.listed:
            plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
            slug = re.sub(r"[^A-Za-z0-9]+", "-", plain).strip("-").lower()[:LONGEST_SLUG] or "column"
            others = {other.name for other in taken.values()}
            names = (f"{path.stem}.{slug}{number}.csv" for number in ("", *range(2, len(self.listed) + 2)))
            taken[name] = path.with_name(next(one for one in names if one not in others))
        return taken

    def cautions(self, profile: Profile) -> list[Caution]:
        """What would go wrong later with the roles of this policy."""
        schema = self.policy.schema
        roles = schema.roles(list(profile.names))
        chosen = {name: "identifier" if role == "drop" else role for name, role in roles.items()}
        found = profile.cautions_for(chosen)
        answered = {*self.policy.transform, *(self.policy.na if self.proposal is not None else ())}
        return [one for one in found if not one.columns or not set(one.columns) <= answered]

    def summary(self) -> Iterator[str]:
        """Say which columns are taken, rounded and left, and what they cost."""
        if self.proposal is None:
            return
        proposal, schema = self.proposal, self.policy.schema
        taken, asked = len(schema.quasi_identifiers), len(proposal.profile.ranked(proposal.roles))
        lost = "" if proposal.loss is None else f" (estimated loss {proposal.loss:.3f}, from 0 to 1)"
        if taken < asked:
            yield (
                f"{taken} of {asked} suggested quasi-identifiers are taken{lost}, tried in the order in which "
                f"outsiders are likely to know them; the others are left out, each for the reason in the policy"
                f"{_all_cost(proposal)}."
            )
        lacking = [name for name in proposal.left if proposal.roles[name] == "sensitive"]
        if lacking and not schema.sensitive:
            yield (
                f"The release will hold nothing sensitive, since {listed(lacking, 3)} had to be left out. Fewer "
                "quasi-identifiers, or coarser ones, may leave room for them."
            )
        for name in schema.sensitive:
            yield f"{name}: {in_words(proposal.models[name])}; {proposal.prices[name]}."
        for name, rounding in proposal.transform.items():
            alike = f"rounded to multiples of {rounding.to:,}, since exact values point to people"
            yield f"{name}: {alike}; the policy says it under transform."
        if folds := [name for name in self.policy.transform if name in proposal.folded]:
            alike = "values that differ in capitals or blanks only are made one"
            yield f"{listed(folds, 6)}: {alike}; the policy says it under transform."
        if found := [name for name in self.policy.na if name in (*schema.quasi_identifiers, *schema.sensitive)]:
            yield f"Codes that mean 'no value' were found in {listed(found, 6)}; the policy names them under na."
        others = [name for name in proposal.left if proposal.roles[name] in {"sensitive", "plain", "weight"}]
        if others:
            yield f"Also left out for now, each for the reason in the policy: {listed(others, 6)}."

    def write(self, path: Path, table: str) -> list[Path]:
        """Write the hierarchies and then the policy, readable by the owner only; return the paths."""
        files = self.files(path)
        text = self.text(path, table)
        for name, file in files.items():
            write_rows(file, self.listed[name].rows, DELIMITER, private=True)
        write_text(path, text, private=True)
        return [path, *files.values()]

    def text(self, path: Path, table: str) -> str:
        """Write the commented policy as text, and check that the comments did not change it."""
        text = "\n".join(self._lines(path, table)) + "\n"
        found = tomllib.loads(text)
        files = {name: {"type": Taxonomy.name, "file": file.name} for name, file in self.files(path).items()}
        expected = policy_record(self.policy)
        expected["quasi_identifiers"] |= files
        assert {name: found.get(name) for name in expected} == _plain(expected), "the comments changed the policy"
        return text

    def _lines(self, path: Path, table: str) -> Iterator[str]:
        said = policy_record(self.policy)
        columns = len(self.reasons)
        shown = {"table": _one_line(table), "policy": _one_line(path.name)}
        yield HEADER.format(rows=self.rows, columns=columns, **shown) + (LISTED if self.listed else "")
        for role in ("identifiers", "person", "weights", "sensitive", "plain"):
            if said.get(role):
                yield from self._role(role, said[role])
        if said.get("rest"):
            yield from self._left(said["rest"])
        yield from self._quasi_identifiers(said["quasi_identifiers"], self.files(path), table)
        yield f"# {SAID['privacy']}"
        for model in said["privacy"]:
            yield (
                "[[privacy]]"
                + self._price(model)
                + "\n"
                + "\n".join(f"{key_text(name)} = {value_text(value)}" for name, value in model.items())
                + "\n"
            )
        yield (
            "[method]\n"
            + "\n".join(f"{key_text(name)} = {value_text(value)}" for name, value in said["method"].items())
            + "\n"
        )
        yield f"# {SAID['options']}\n[options]"
        for name, value in said["options"].items():
            yield f"{key_text(name)} = {value_text(value)}" + (f"  # {OPTIONS[name]}" if name in OPTIONS else "")

    def _role(self, role: str, given: str | list[str]) -> Iterator[str]:
        yield f"# {SAID[role]}"
        if isinstance(given, str):
            yield f"{role} = {value_text(given)}  # {self._reason(given)}\n"
            return
        yield f"{role} = ["
        yield from (f"    {value_text(name)},  # {self._reason(name)}" for name in given)
        yield "]\n"

    def _quasi_identifiers(self, records: Mapping[str, Any], files: Mapping[str, Path], table: str) -> Iterator[str]:
        yield f"# {SAID['quasi_identifiers']}"
        if any(record == Categorical().to_policy() for record in records.values()):
            yield f"# {SAID['flat'].format(table=_one_line(table))}"
        yield "[quasi_identifiers]"
        for name, record in records.items():
            shown = {"type": Taxonomy.name, "file": files[name].name} if name in files else record
            yield f"{key_text(name)} = {value_text(shown)}  # {self._reason(name)}"
        yield from self._left_quasi_identifiers()
        yield ""

    def _left(self, rest: str) -> Iterator[str]:
        """List the columns that are left out for now, and why; what is named nowhere is dropped."""
        assert self.proposal is not None
        yield f"# {SAID['rest']}\nrest = {value_text(rest)}"
        asked = {one.name for one in self.proposal.profile.ranked(self.proposal.roles)}
        for name, why in self.proposal.left.items():
            if name not in asked:
                yield f"# {_one_line(value_text(name))}: {_one_line(why)}"
        yield ""

    def _left_quasi_identifiers(self) -> Iterator[str]:
        if self.proposal is None:
            return
        profile, left = self.proposal.profile, self.proposal.left
        asked = [one.name for one in profile.ranked(self.proposal.roles) if one.name in left]
        if asked:
            yield f"# {SAID['left']}"
        for name, how in profile.hierarchies(asked).items():
            record = {"type": AUTO} if isinstance(how, Taxonomy) else how.to_policy()
            price = f"; {self.proposal.prices[name]}" if name in self.proposal.prices else ""
            yield _one_line(f"# {key_text(name)} = {value_text(record)}  # {left[name]}{price}")

    def _price(self, model: Mapping[str, Any]) -> str:
        prices = {} if self.proposal is None else self.proposal.prices
        return f"  # {prices[model['column']]}" if model.get("column") in prices else ""

    def _reason(self, name: str) -> str:
        return _one_line(self.reasons[name])


def draft(
    profile: Profile,
    roles: Mapping[str, str] | None = None,
    k: int | None = None,
    options: Mapping[str, Any] | None = None,
    attempt: Attempt | None = None,
) -> Draft:
    """Draft a policy from a profile; given roles replace the suggested ones.

    With ``attempt``, which makes a trial release, it is one that keeps its promises without a warning:
    quasi-identifiers are a core set, sensitive columns have models that they can keep, and the rest is left out,
    with what it costs.
    """
    chosen = profile.roles | dict(roles or {})
    schema = profile.schema(chosen)
    na = {name: codes for name, codes in profile.na.items() if chosen[name] not in {"identifier", "person"}}
    ends = {"ends": "grid"} if _has_intervals(schema) else {}
    said = ends | dict(options or {}) | ({"na": na} if na else {})
    proposal = None
    if attempt is not None and schema.quasi_identifiers:
        proposal = propose(profile, chosen, k or suggested_k(profile, schema), said, attempt)
        policy = proposal.request()
        kept = {name: codes for name, codes in policy.na.items() if name not in proposal.left}
        policy = replace(policy, na=kept)
    else:
        policy = Request(schema, suggested_privacy(profile, schema, k), **said, caller="Policy")
    declared = policy.schema.quasi_identifiers.items()
    in_files = {name: how for name, how in declared if isinstance(how, Taxonomy)}
    own = {name: f"chosen by you: {chosen[name]}" for name in chosen if chosen[name] != profile[name].role}
    reasons = {one.name: _why(profile, one.name) for one in profile.columns} | own
    return Draft(policy, reasons, in_files, profile.rows, proposal)


def _has_intervals(schema: Schema) -> bool:
    """Whether a quasi-identifier becomes intervals, whose ends at values of the table would be somebody's own."""
    return any(isinstance(how, (Numeric, Dates)) for how in schema.quasi_identifiers.values())


def _all_cost(proposal: Proposal) -> str:
    """What all quasi-identifiers together would cost."""
    if proposal.all_loss is None:
        return ", since all of them together cannot be protected"
    return f"; with all of them the loss would be {proposal.all_loss:.3f}"


def _why(profile: Profile, name: str) -> str:
    column = profile[name]
    sure = "" if column.suggestion.certainty == "sure" else f" ({column.suggestion.certainty})"
    return column.suggestion.reason + sure


def suggested_privacy(profile: Profile, schema: Schema, k: int | None = None) -> list[PrivacyModel]:
    """Suggest k-anonymity, and l-diversity for the first sensitive columns of words that can keep it."""
    models: list[PrivacyModel] = [KAnonymity(k or suggested_k(profile, schema))]
    if schema.person is not None:
        return models
    words = [
        profile[name] for name in schema.sensitive if profile[name].kind in {"category", "code", "ordered category"}
    ]
    mixed = [
        one.name
        for one in words
        if _largest(one.facts.largest_share, one.facts.missing, one.facts.rows) <= MOST_FREQUENT
    ]
    return models + [LDiversity(DIVERSITY, column=name) for name in mixed[:MOST_DIVERSE]]


def _largest(largest_share: float, missing: int, rows: int) -> float:
    """The share of the most frequent value; missing counts as a value."""
    return max(largest_share, missing / max(1, rows))


def suggested_k(profile: Profile, schema: Schema) -> int:
    """Suggest a usual k for the number of people."""
    people = profile.rows if schema.person is None else profile[schema.person].facts.different
    return 10 if people >= 1_000 else 5 if people >= 100 else max(2, min(3, people // 2))


def _one_line(text: str) -> str:
    """Make a text safe for a comment, which a line break in a column's name would end."""
    return printable(" ".join(text.split()))


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items() if one is not None}
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value
