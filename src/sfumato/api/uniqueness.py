"""``sfumato.uniqueness``: how many people are unique in any set of columns."""

from __future__ import annotations

from sfumato.assess.risk.uniqueness import Uniqueness
from sfumato.errors import SchemaError, listed
from sfumato.io import open_source
from sfumato.io.missing import MissingCodes, missing_codes


def uniqueness(
    data: object,
    *,
    person: str | None = None,
    na: MissingCodes = (),
    separator: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    layout: str | None = None,
) -> Uniqueness:
    """Read a table to ask how many people any of its columns single out, alone and together.

    ``about`` answers from a sample of classes, in a moment even for millions of rows, and says so; ``exactly`` counts.

    Parameters
    ----------
    person
        The column that identifies the person, if people have several rows; then people are counted, not rows.
    data, na, separator, encoding, sheet, layout
        As in `anonymize`.

    Examples
    --------
    >>> import pyarrow as pa, sfumato as sf
    >>> people = pa.table({"age": [30, 30, 41, 41, 52], "sex": ["f", "f", "f", "m", "m"]})
    >>> unique = sf.uniqueness(people)
    >>> print(unique.exactly(["age", "sex"]))
    3 of 5 people (60.0%) are unique in 'age', 'sex'
    >>> unique.about("sex").share
    0.0
    """
    source = open_source(data, separator=separator, encoding=encoding, sheet=sheet, layout=layout)
    if person is not None and person not in source.columns:
        raise SchemaError(f"The table has no column '{person}'. Its columns: {listed(source.columns)}.")
    return Uniqueness(source.read(list(source.columns), na=missing_codes("uniqueness", "na", na)), person)
