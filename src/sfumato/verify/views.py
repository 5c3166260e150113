"""Verification of a frame as an outsider reads it: through the library's own export, cell by cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.errors import VerificationError
from sfumato.verify.release import verify_release
from sfumato.verify.verification import Verification


def verify_view(
    frame: Any,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str],
    requirements: Sequence[Mapping[str, Any]],
    *,
    rows: int,
    people: NDArray[np.int64] | None = None,
) -> Verification:
    """Recompute every promise from a frame of Arrow, pandas or Polars, and refuse one that breaks any.

    Parameters
    ----------
    frame
        The frame, as it is handed out.
    quasi_identifiers, sensitive
        Its columns; a quasi-identifier may be a column of intervals.
    requirements
        What was promised, as `verify_release` takes it.
    rows
        How many rows it must have.
    people
        The person of every row, if a person may have several.
    """
    table = _exported(frame)
    read: dict[str, pa.ChunkedArray] = {}
    classes: list[str] = []
    for name in quasi_identifiers:
        parts = _parts(name, table.column(name))
        read |= parts
        classes += parts
    read |= {name: table.column(name) for name in sensitive}
    found = verify_release(pa.table(read), classes, sensitive, requirements, people=people)
    if found.ok and found.rows == rows:
        return found
    lost = "" if found.rows == rows else f"\n{found.rows:,} rows were read, not {rows:,}."
    raise VerificationError(
        f"This view of the release is not safe and is not handed out.\n{found.broken_rules()}{lost}"
    )


def _exported(frame: Any) -> pa.Table:
    """The frame as its own library hands it to others."""
    if isinstance(frame, pa.Table):
        return frame
    return frame.to_arrow() if hasattr(frame, "to_arrow") else pa.Table.from_pandas(frame, preserve_index=False)


def _parts(name: str, column: pa.ChunkedArray) -> dict[str, pa.ChunkedArray]:
    """A column as it is, or the two ends of a column of intervals."""
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        column, kind = (
            pa.chunked_array([chunk.storage for chunk in column.chunks], kind.storage_type),
            kind.storage_type,
        )
    if not pa.types.is_struct(kind):
        return {name: column}
    ends = [f"{name}_min", f"{name}_max"]
    return dict(zip(ends, column.flatten(), strict=True))
