"""Columns whose names are harmless and whose content is not: somebody shifted the header, or reused a field.

Every name of `safe_harbor_allowed` stands over content that gives itself away by its form.
"""

from __future__ import annotations

from tests.run.presets.safe_harbor_allowed import ALLOWED
from tests.run.presets.safe_harbor_columns import FORBIDDEN, Column

#: Columns of `FORBIDDEN` whose cells tell by themselves what they are; nine digits alone could be a code.
TELLING = [
    *(
        "x1",
        "col_a",
        "v23",
        "field_7",
        "label",
        "hospital",
        "town",
        "loc",
        "x2",
        "v8",
        "home_address",
        "zip9",
        "zip_plus4",
    ),
    *("x3", "t0", "when", "v4", "x5", "v6", "status", "DateOfBirth", "ADMITTIME", "qtr", "visit_month", "MonthYear"),
    *("adm_week", "x9", "x7", "v11", "q3", "x8", "email", "SSN", "code", "key", "x11", "username", "hash"),
    *("x12", "v13", "x13", "v14", "mac_addr", "UDI", "url", "x14", "ip", "x15", "x16", "notes", "x17"),
]


def _misnamed(step: int) -> list[Column]:
    """Every harmless name over one of these contents, each time over another."""
    contents = {column.name: column for column in FORBIDDEN}
    chosen = (contents[TELLING[(at + step) % len(TELLING)]] for at in range(len(ALLOWED)))
    return [
        content._replace(name=harmless.name, why=f"cells of {content.name!r}")
        for harmless, content in zip(ALLOWED, chosen, strict=True)
    ]


MISNAMED = [_misnamed(step) for step in (0, 17, 35)]
