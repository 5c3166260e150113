"""A table with the roles and hierarchies to anonymize it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.common import parameters
from sfumato.errors import OutputError
from sfumato.hierarchies import Dates, Hierarchy, Numeric, Taxonomy

if TYPE_CHECKING:
    from sfumato.table.schema import Schema


@dataclass(frozen=True)
class Dataset:
    """A table, the roles of its columns and their hierarchies.

    Attributes
    ----------
    name
        The name of the dataset.
    table
        The rows.
    hierarchies
        How each column generalizes. Sensitive columns may have one too, for distances between their values.
    quasi_identifiers, sensitive
        The columns in these roles.

    Examples
    --------
    >>> from sfumato.datasets import patients
    >>> patients().quasi_identifiers
    ('age', 'sex', 'zipcode')
    """

    name: str
    table: pa.Table = field(repr=False)
    hierarchies: dict[str, Hierarchy] = field(repr=False)
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        name: str,
        table: pa.Table,
        hierarchies: dict[str, Hierarchy],
        sensitive: tuple[str, ...] = (),
    ) -> Dataset:
        """Make a dataset in which every column that is not sensitive is a quasi-identifier."""
        quasi_identifiers = tuple(column for column in table.column_names if column not in sensitive)
        return cls(name, table, hierarchies, quasi_identifiers, sensitive)

    @property
    def schema(self) -> Schema:
        """The roles and hierarchies, ready for `sfumato.anonymize`."""
        from sfumato.table.schema import Schema  # noqa: PLC0415

        declared = {column: self.hierarchies.get(column) for column in self.quasi_identifiers}
        return Schema(quasi_identifiers=declared, sensitive=list(self.sensitive))

    def without_levels(self) -> Dataset:
        """Drop the levels of numbers and dates, so that classes show intervals of them.

        With declared levels, every method shows only these; methods that find their own intervals lose less without
        them.

        Examples
        --------
        >>> from sfumato.datasets import census
        >>> people = census(100)
        >>> people.hierarchies["age"], people.without_levels().hierarchies["age"]
        (Numeric(widths=[5, 10, 20]), Numeric())
        """
        free = {name: type(how)() for name, how in self.hierarchies.items() if isinstance(how, Numeric | Dates)}
        return replace(self, hierarchies=self.hierarchies | free)

    def to_pandas(self) -> Any:
        """Convert the table to a pandas data frame."""
        from sfumato.io import to_frame  # noqa: PLC0415

        return to_frame(self.table, "pandas")

    def to_polars(self) -> Any:
        """Convert the table to a Polars data frame."""
        from sfumato.io import to_frame  # noqa: PLC0415

        return to_frame(self.table, "polars")

    def to_arrow(self) -> pa.Table:
        """The table as an Arrow table."""
        return self.table

    def write(self, folder: str | Path, format: str = "parquet") -> Path:  # noqa: A002
        """Write the table and one hierarchy file per column into a folder; return the table's path.

        Parameters
        ----------
        folder
            Created if it does not exist. It gets ``<name>.parquet`` or ``<name>.csv``, and
            ``<name>_hierarchy_<column>.csv`` for every column with a hierarchy.
        format
            ``"parquet"`` or ``"csv"``.
        """
        parameters.choice("Dataset.write", "format", format, ("parquet", "csv"))
        from sfumato.io import write_table  # noqa: PLC0415

        folder = Path(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"The folder {folder} cannot be made: {error.strerror}. Choose another place.") from None
        path = folder / f"{self.name}.{format}"
        write_table(self.table, path)
        for column, hierarchy in self.hierarchies.items():
            _as_taxonomy(hierarchy, column, self.table).write(folder / f"{self.name}_hierarchy_{column}.csv")
        return path


def _decoded(table: pa.Table) -> pa.Table:
    """Decode dictionaries, since hierarchies take plain values."""
    plain = [
        pa.field(item.name, item.type.value_type if pa.types.is_dictionary(item.type) else item.type)
        for item in table.schema
    ]
    return table.cast(pa.schema(plain))


def _as_taxonomy(hierarchy: Hierarchy, column: str, table: pa.Table) -> Taxonomy:
    """Spell a hierarchy out, value by value, for the values of the table."""
    if isinstance(hierarchy, Taxonomy):
        return hierarchy
    values = pc.unique(_decoded(table.select([column])).column(0)).drop_null()
    levels = hierarchy.fit(column, values, has_missing=False).domain.levels
    columns = [level.labels.take(pa.array(level.groups)).to_pylist() for level in levels]
    return Taxonomy.from_rows(list(zip(*columns, strict=True)))
