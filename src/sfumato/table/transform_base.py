"""What every declared transformation of a column is, and what it may use."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import pyarrow as pa

from sfumato.common.randomness import Secret
from sfumato.errors import SchemaError


@dataclass(frozen=True)
class TransformContext:
    """What a transformation may use: the original rows, the secret of the release, and the column of the person."""

    table: pa.Table
    secret: Secret
    person: str | None = None

    def column(self, name: str, what: str) -> pa.ChunkedArray:
        """A column of the original rows; the error for a missing one names the transformation."""
        if name not in self.table.column_names:
            raise SchemaError(f"{what} needs the column '{name}', which the table does not have.")
        cells = self.table.column(name)
        return cells.cast(cells.type.value_type) if pa.types.is_dictionary(cells.type) else cells


class Transform(ABC):
    """A change of one column in every row. Subclasses are frozen dataclasses; their fields are the keys in a policy."""

    kind: ClassVar[str]
    #: How it is written on the command line.
    shorthand: ClassVar[str]
    #: Whether it makes a new column.
    derives: ClassVar[bool] = False
    #: Whether it draws on the secret of the release, so that nobody else can repeat it.
    secret: ClassVar[bool] = False
    reads_text: bool = False

    @abstractmethod
    def apply(self, name: str, context: TransformContext) -> pa.ChunkedArray:
        """Change the column."""

    @classmethod
    @abstractmethod
    def from_short(cls, text: str) -> dict[str, Any]:
        """Parse the parameters after the colon on the command line."""

    def looks_at(self, name: str) -> tuple[str, ...]:
        """The columns that it reads."""
        return (name,)

    def to_policy(self) -> dict[str, Any]:
        """Plain values, for a policy and the manifest."""
        given = {one.name: getattr(self, one.name) for one in dataclasses.fields(self)}  # type: ignore[arg-type]
        return {"kind": self.kind} | {key: value for key, value in given.items() if value is not None}

    def recorded(self) -> dict[str, Any]:
        """Plain values for the manifest, without values of the table or paths of files."""
        return self.to_policy()
