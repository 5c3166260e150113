"""A release in two tables: exact quasi-identifiers with a group, and the sensitive values of every group."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from sfumato.assess.cautions import Caution
from sfumato.assess.queries import Anatomized, Answer, Where
from sfumato.common.html import facts, fragment, verdict
from sfumato.errors import VerificationError
from sfumato.hierarchies import Hierarchy
from sfumato.io import Source, write_tables, write_text
from sfumato.release.manifest import Grounds, unseen_rows
from sfumato.release.summary import aligned, caution_facts, role_facts
from sfumato.verify.anatomy import TwoTables, verify_anatomy, verify_files
from sfumato.verify.verification import Verification

#: What two tables leave open, whatever l is.
LIMITS = (
    "quasi-identifiers are shown exactly: whoever knows somebody's finds their row, and that they are in the table; "
    "there is no k-anonymity"
)


@dataclass(frozen=True)
class Anatomy:
    """A checked release in two tables: rows can be linked to people, but not to their sensitive values.

    Attributes
    ----------
    people
        One row per person, in random order: quasi-identifiers and plain columns as they are, and a group.
    values
        One row per group and sensitive value: how many people of the group have it.
    sensitive, l
        The sensitive column, and what was asked for: no value makes up more than 1/l of a group.
    verification
        What was found by an independent check of both tables.
    manifest
        How the release was made, as plain values ready for JSON; it holds no original value.
    cautions
        What to look at before publishing, the most serious first.
    source
        The source of the table, which decides the kind of frame of the two tables.
    """

    people: pa.Table = field(repr=False)
    values: pa.Table = field(repr=False)
    sensitive: str
    l: int  # noqa: E741
    hierarchies: Mapping[str, Hierarchy | None] = field(repr=False)
    verification: Verification = field(repr=False)
    manifest: dict[str, Any] = field(repr=False)
    cautions: tuple[Caution, ...] = ()
    source: Source | None = field(default=None, repr=False)

    @property
    def group(self) -> str:
        """The column that joins the tables."""
        return self.values.column_names[0]

    @property
    def tables(self) -> TwoTables:
        """Both tables, as the verifier reads them."""
        names = list(self.hierarchies)
        return TwoTables(self.people, self.values, names, self.sensitive, self.group, self.values.column_names[2])

    @property
    def data(self) -> tuple[Any, Any]:
        """Both tables as the kind of frame of the input."""
        return self._as_frame(self.people), self._as_frame(self.values)

    def _as_frame(self, table: pa.Table) -> Any:
        return table if self.source is None else self.source.to_native(table)

    @cached_property
    def answering(self) -> Anatomized:
        """Both tables, ready to answer questions."""
        tables = self.tables
        return Anatomized(
            self.people,
            self.hierarchies,
            **unseen_rows(self.manifest),
            values=self.values,
            sensitive=self.sensitive,
            group=tables.group,
            count_column=tables.count,
        )

    def count(self, where: Where | None = None) -> Answer:
        """How many people of the original fit a description, as in `Release`: an estimate and certain bounds."""
        return self.answering.count(where)

    def sample(self, seed: int | None = None) -> Any:
        """Draw one table from both: the values of every group, dealt to its people at random."""
        return self._as_frame(self.answering.sample(seed))

    def verify(self) -> Verification:
        """Check the promise once more, from the two tables alone."""
        return verify_anatomy(self.tables, self.l)

    def write(
        self,
        people: str | os.PathLike[str],
        values: str | os.PathLike[str],
        manifest: str | os.PathLike[str] | None = None,
    ) -> Verification:
        """Write both tables; the files are read back and checked before either takes its place.

        Parameters
        ----------
        people, values
            Where; the endings decide the formats, as in `Release.write`.
        manifest
            Where to write the manifest as JSON; not written if left out. It is for the publisher's files.
        """
        if not self.verification.ok:
            raise VerificationError(f"This release is not safe and is not written.\n{self.verification.broken_rules()}")
        found: list[Verification] = []

        def inspect(files: list[tuple[Path, str]]) -> None:
            found.append(verify_files(files, self.tables, self.l))

        write_tables([(self.people, people), (self.values, values)], inspect)
        if manifest is not None:
            write_text(manifest, json.dumps(self.manifest, indent=2, ensure_ascii=False) + "\n", private=True)
        return found[0]

    def _facts(self) -> list[tuple[str, str]]:
        rows, reached = self.manifest["input"]["rows"], self.verification.l or 0
        return [
            *role_facts(self.manifest["roles"], {}),
            ("method", f"anatomy (l={self.l})"),
            ("rows", f"{self.people.num_rows:,} released of {rows:,}, in {self.verification.classes:,} groups"),
            ("achieved", f"l={reached:g} of '{self.sensitive}'; k={self.verification.k}"),
            ("limits", LIMITS),
            *Grounds.recorded(self.manifest["grounds"]).facts(self.verification.ok),
            *caution_facts(self.manifest["cautions"]),
        ]

    def summary(self) -> str:
        """A readable summary: roles, groups, what holds and what does not."""
        return aligned(self._facts())

    def __str__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        return fragment(
            "Release in two tables",
            verdict(self.verification.ok, "Verified" if self.verification.ok else "NOT verified"),
            facts(self._facts()),
        )
