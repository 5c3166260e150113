"""What the worker has on its desk: a table, its profile, and the policy that follows from the user's plan."""

from __future__ import annotations

import json
import threading
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from sfumato import datasets
from sfumato.api.policy import Policy
from sfumato.api.profile import profile
from sfumato.common.progress import Progress
from sfumato.errors import CautionError, ParameterError, SfumatoError, SourceError, listed
from sfumato.hierarchies import Hierarchy
from sfumato.io import Source, open_source, write_table
from sfumato.io.memory import in_words
from sfumato.privacy import KAnonymity
from sfumato.profiles import Profile
from sfumato.profiles.draft import draft
from sfumato.run.policy import hierarchy_from_policy, method_from_policy, model_from_policy
from sfumato.run.request import AUTO
from sfumato.studio.plan import KEPT, OPTIONS, Plan
from sfumato.table.schema import Schema

#: The people of the example census.
EXAMPLE_ROWS = 20_000
#: The most columns that the page shows, and the most bytes that a workbook may unpack to.
MOST_COLUMNS = 2_000
MOST_UNPACKED = 2 * 2**30


class Held:
    """A table that the worker holds, read and profiled when it is first needed.

    Parameters
    ----------
    path
        The file.
    shown
        The name that the page shows.
    example
        The dataset to write there first, if it is an example.
    """

    def __init__(self, path: Path, shown: str, example: str | None = None) -> None:
        self.path = path
        self.shown = shown
        self._example = example
        #: What operations keep for the next question, such as a release.
        self.kept: dict[str, Any] = {}
        self.lock = threading.RLock()
        self._profile: Profile | None = None

    @cached_property
    def source(self) -> Source:
        """The open file."""
        self.make_example()
        refuse_unpacking(self.path)
        found = open_source(self.path)
        if len(found.columns) > MOST_COLUMNS:
            raise SourceError(
                f"The table has {len(found.columns):,} columns, and the studio shows at most {MOST_COLUMNS:,}. "
                "Leave out columns that nobody needs, or use the command line."
            )
        return found

    def make_example(self) -> None:
        """Write the example, if it is one and is not there yet."""
        with self.lock:
            if self._example is not None and not self.path.exists():
                made = datasets.census(EXAMPLE_ROWS) if self._example == "census" else datasets.patients()
                write_table(made.table, self.path)

    @cached_property
    def table(self) -> pa.Table:
        """All rows, as `sfumato.anonymize` reads them."""
        with self.lock:
            return self.source.read(self.source.columns)

    def profiled(self, tell: Progress) -> Profile:
        """What the columns are; counted once."""
        with self.lock:
            if self._profile is None:
                self._profile = profile(self.source, progress=tell)
            return self._profile


def refuse_unpacking(path: Path, most: int = MOST_UNPACKED) -> None:
    """Refuse a workbook that would unpack to more than anybody types."""
    if not zipfile.is_zipfile(path):
        return
    with zipfile.ZipFile(path) as archive:
        unpacked = sum(one.file_size for one in archive.infolist())
    if unpacked > most:
        raise SourceError(
            f"The file unpacks to {in_words(unpacked)}, and the studio reads at most {in_words(most)} of such a file. "
            "Save the table as CSV or Parquet."
        )


@dataclass(frozen=True)
class Bench:
    """What an operation works with.

    Attributes
    ----------
    held
        The table.
    plan
        What the user decided.
    args
        What the page asked.
    tell
        Reports a stage and the share of it that is done.
    folder
        A private folder for files that the user can download.
    """

    held: Held
    plan: Plan
    args: Mapping[str, Any]
    tell: Progress
    folder: Path = field(repr=False)

    @property
    def profile(self) -> Profile:
        """What the columns of the table are."""
        return self.held.profiled(self.tell)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, by their numbers."""
        return self.profile.names

    @property
    def table(self) -> pa.Table:
        """The rows."""
        return self.held.table

    @property
    def policy(self) -> Policy:
        """The policy that follows from the plan."""
        return policy_of(self.plan, self.profile)

    def columns(self, key: str = "columns") -> list[str]:
        """The names of the columns whose numbers the page sent."""
        given = self.args.get(key, [])
        if not isinstance(given, list) or not all(isinstance(one, int) and 0 <= one < len(self.names) for one in given):
            raise ParameterError(f"'{key}' is a list of column numbers.")
        return [self.names[one] for one in given]

    def number(self, key: str, usual: int, least: int, most: int) -> int:
        """A whole number that the page sent."""
        given = self.args.get(key, usual)
        if not isinstance(given, int) or isinstance(given, bool) or not least <= given <= most:
            raise ParameterError(f"'{key}' is a whole number from {least:,} to {most:,}.")
        return given


#: Answers a question with plain values, at once or one after the other.
Operation = Callable[[Bench], Any | Iterator[Any]]


def policy_of(plan: Plan, found: Profile) -> Policy:
    """Make the policy of a plan: what the user decided, and for the rest what the profile suggests."""
    roles = dict(zip(found.names, plan.roles, strict=True))
    drafted = draft(found, roles, plan.k).policy
    own = {
        found.names[int(at)]: hierarchy_from_policy(record, f"The steps of '{found.names[int(at)]}'")
        for at, record in plan.hierarchies.items()
        if plan.roles[int(at)] == "quasi-identifier"
    }
    schema = _with_hierarchies(drafted.schema, own)
    models = drafted.privacy
    if plan.privacy is not None:
        models = [one for one in drafted.privacy if isinstance(one, KAnonymity)]
        models += [model_from_policy(record) for record in plan.privacy]
    options: dict[str, Any] = {"na": drafted.na} | dict(plan.options)
    method = options.pop("method", AUTO)
    return Policy(
        schema,
        models,
        method_from_policy({"name": method} if isinstance(method, str) else method),
        confirm=plan.confirm,
        **options,
    )


def _with_hierarchies(schema: Schema, own: Mapping[str, Any]) -> Schema:
    return Schema(
        {**schema.quasi_identifiers, **own},
        sensitive=schema.sensitive,
        identifiers=schema.identifiers,
        plain=schema.plain,
        person=schema.person,
        survey_weights=schema.survey_weights,
    )


def plan_of(policy: Policy, found: Profile, before: Plan) -> Plan:
    """Make the plan that a policy says, for a table that was profiled; what the report says about it stays.

    A policy of which the studio cannot keep everything is refused: its release would be another one.
    """
    roles = policy.schema.roles(found.names)
    record, quasi = policy.to_dict(), policy.schema.quasi_identifiers
    own = {str(at): _steps_record(quasi[name]) for at, name in enumerate(found.names) if name in quasi}
    others = [one.to_policy() for one in policy.privacy if not isinstance(one, KAnonymity)]
    options = {name: value for name, value in record["options"].items() if name in (*OPTIONS, *KEPT)}
    if policy.method.name != AUTO:
        options["method"] = record["method"]
    plan = replace(
        before,
        roles=tuple("identifier" if role == "drop" else role for role in roles.values()),
        unsure=(),
        hierarchies=own,
        privacy=tuple(others),
        k=max((one.k for one in policy.privacy if isinstance(one, KAnonymity)), default=None),
        options=options,
        confirm=policy.confirm,
        decided=(),
    )
    _refuse_losses(record, policy_of(plan, found).to_dict())
    return plan


def _steps_record(how: Hierarchy | None) -> dict[str, Any]:
    return {"type": AUTO} if how is None else how.to_policy()


#: Options that change how a release is made, but not the release.
NOT_OURS = ("memory", "temporary", "threads")


def _refuse_losses(said: Mapping[str, Any], kept: Mapping[str, Any]) -> None:
    """Refuse a policy that would not be the same again."""
    lost = [name for name in ("quasi_identifiers", "privacy", "method") if _plain(said[name]) != _plain(kept[name])]
    options, ours = said["options"], kept["options"]
    lost += [name for name, value in options.items() if name not in NOT_OURS and value != ours.get(name)]
    if lost:
        raise ParameterError(
            f"The studio cannot keep what this policy says about {listed(lost)}. Use it on the command line: "
            "sfumato anonymize TABLE -o release.csv --policy policy.toml."
        )


def _plain(record: Any) -> list[str]:
    """The parts of plain values, in any order."""
    parts = record.items() if isinstance(record, Mapping) else record
    return sorted(json.dumps(one, sort_keys=True, default=str) for one in parts)


def error_record(error: BaseException, stage: str, path: str = "", shown: str = "") -> dict[str, Any]:
    """Describe an error for the page; only Sfumato's own messages are known to be fit for the owner of the table.

    The file is called by the name that the page shows, not by its place among the uploads.
    """
    if isinstance(error, SfumatoError):
        said = str(error).replace(path, shown) if path else str(error)
        record = {"kind": type(error).__name__, "message": said, "stage": stage}
        return record | ({"cautions": _confirmable(error)} if isinstance(error, CautionError) else {})
    if isinstance(error, MemoryError):
        return {"kind": "OutOfMemory", "message": "", "stage": stage}
    return {"kind": "Unexpected", "message": type(error).__name__, "stage": stage}


def _confirmable(error: CautionError) -> list[dict[str, Any]]:
    """The cautions that stand in the way, each with the names that confirm it."""
    return [
        {"found": one.found, "advice": one.advice, "names": list(one.columns) or [one.code]} for one in error.cautions
    ]
