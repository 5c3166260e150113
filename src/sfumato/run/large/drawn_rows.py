"""Some rows of a table that nobody holds, drawn where its parts are worked on: for guardrails and for a bound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.common.randomness import Secret
from sfumato.loss import RecodedTable
from sfumato.run.large.coded_table import CodedTable, carried_name

#: So many rows are drawn; all rows of smaller tables are taken.
DRAWN = 200_000

Codes = NDArray[np.integer]


class DrawnRows(NamedTuple):
    """Rows that were drawn, each with what its class spans.

    Attributes
    ----------
    codes
        The quasi-identifiers of each.
    lo, hi
        From where to where its class reaches; only where it is released.
    released
        Whether it is released.
    columns
        The codes of the columns that are released row by row, by name, as far as they have codes.
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
            The rows of the part as they came, and in which order the method saw them.
        recoded
            What became of them.
        places
            Which of them, in that order.
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
    """Return the end of every row's class; nothing in particular where it has none, as in a part that is left out."""
    found = np.zeros((len(own), ends.shape[1]), ends.dtype)
    found[own >= 0] = ends[own[own >= 0]]
    return found


def draws_per_part(sizes: Sequence[int], secret: Secret) -> dict[int, int]:
    """Return how many rows are drawn of each part, so that every draw is any row of the table; none for small tables.

    As every row is as likely in every draw, whoever reckons with them may take them for independent.
    """
    total = sum(sizes)
    if total <= DRAWN:
        return {}
    drawn = secret.generator("draws").multinomial(DRAWN, np.array(sizes) / total)
    return dict(enumerate(drawn.tolist()))


def together(parts: Sequence[DrawnRows], secret: Secret) -> DrawnRows:
    """Return the rows drawn from all parts, in random order, so that some of them are as good as any others."""
    order = secret.permutation("draws", sum(len(part.released) for part in parts))
    codes, lo, hi, released = (np.concatenate([part[at] for part in parts])[order] for at in range(4))
    names = parts[0].columns if parts else {}
    columns = {name: np.concatenate([part.columns[name] for part in parts])[order] for name in names}
    return DrawnRows(codes, lo, hi, released, columns)
