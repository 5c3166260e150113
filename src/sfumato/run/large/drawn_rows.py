"""A sample of the rows of a table past memory, drawn while parts are recoded: for guardrails and for a bound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.common.randomness import Secret
from sfumato.loss import RecodedTable
from sfumato.run.large.coded_table import CodedTable, carried_name

#: The size of the sample; all rows of smaller tables are taken.
DRAWN = 200_000

Codes = NDArray[np.integer]


class DrawnRows(NamedTuple):
    """Sampled rows, each with the span of its class.

    Attributes
    ----------
    codes
        The quasi-identifiers of each.
    lo, hi
        The lowest and highest codes of its class; meaningful only for released rows.
    released
        Whether it is released.
    columns
        The codes of the carried columns that have codes, by name.
    """

    codes: NDArray[np.unsignedinteger]
    lo: Codes
    hi: Codes
    released: NDArray[np.bool_]
    columns: Mapping[str, Codes]

    @classmethod
    def of(
        cls, table: CodedTable, rows: pa.Table, order: NDArray[np.int64], recoded: RecodedTable, places: Codes
    ) -> DrawnRows:
        """Take the rows at some places of a part.

        Parameters
        ----------
        table
            What the codes mean.
        rows, order
            The rows of the part as they came, and the order in which the method saw them.
        recoded
            The recoded part.
        places
            The positions of the sampled rows in that order.
        """
        classes, kind = recoded.classes, recoded.microdata.codes.dtype
        own = classes.of_row[places]
        taken = pa.array(order[places])
        return cls(
            recoded.microdata.codes[places],
            _of_class(classes.lo, own).astype(kind),
            _of_class(classes.hi, own).astype(kind),
            own >= 0,
            {
                column.name: rows.column(carried_name(at)).take(taken).to_numpy()
                for at, column in enumerate(table.carried)
                if column.values is not None
            },
        )


def _of_class(ends: Codes, own: Codes) -> Codes:
    """The end of the class of each row; arbitrary values for suppressed rows."""
    found = np.zeros((len(own), ends.shape[1]), ends.dtype)
    found[own >= 0] = ends[own[own >= 0]]
    return found


def draws_per_part(sizes: Sequence[int], secret: Secret) -> dict[int, int]:
    """Decide how many rows to draw from each part; no entries for small tables, of which all rows are taken.

    Every draw is any row of the table with the same probability, so the draws are independent.
    """
    total = sum(sizes)
    if total <= DRAWN:
        return {}
    drawn = secret.generator("draws").multinomial(DRAWN, np.array(sizes) / total)
    return dict(enumerate(drawn.tolist()))


def together(parts: Sequence[DrawnRows], secret: Secret) -> DrawnRows:
    """Combine the samples of all parts in random order, so that any first rows are a sample, too."""
    order = secret.permutation("draws", sum(len(part.released) for part in parts))
    codes, lo, hi, released = (np.concatenate([part[at] for part in parts])[order] for at in range(4))
    names = parts[0].columns if parts else {}
    columns = {name: np.concatenate([part.columns[name] for part in parts])[order] for name in names}
    return DrawnRows(codes, lo, hi, released, columns)
