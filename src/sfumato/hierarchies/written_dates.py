"""Dates as people write them: text in a form that the user declares."""

from __future__ import annotations

import datetime as dt
import re

import pyarrow as pa

from sfumato.errors import DataError

#: Directives that tell a time of day.
_CLOCK = re.compile(r"%-?[HIMSpfXcT]")


def parsed(column: str, values: pa.Array, form: str) -> pa.Array:
    """Return text as dates, or as moments if the form tells the time; what is a date already stays one."""
    if pa.types.is_temporal(values.type):
        return values.cast(pa.date32()) if pa.types.is_date64(values.type) else values
    found = [_moment(text.strip(), form) for text in values.cast(pa.string()).to_pylist()]
    misfits = [place for place, moment in enumerate(found) if moment is None]
    if misfits:
        raise DataError(
            f"Column '{column}' is declared as Dates(format={form!r}), but {len(misfits):,} of its {len(found):,} "
            "values are not in that form. Clean the column, or name the values that mean 'no value' (na=)."
        ).blaming(misfits)
    if _CLOCK.search(form):
        return pa.array(found, pa.timestamp("us", "UTC" if "%z" in form else None))
    return pa.array([moment.date() for moment in found if moment is not None], pa.date32())


def _moment(text: str, form: str) -> dt.datetime | None:
    try:
        return dt.datetime.strptime(text, form)
    except ValueError:
        return None
