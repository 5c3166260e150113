"""Checking a released table, wherever it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.io import FileSource, Source
from sfumato.verify.checking import check_file
from sfumato.verify.release import verify_release
from sfumato.verify.verification import Verification


def check_source(
    source: Source,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str],
    requirements: Sequence[Mapping[str, Any]],
) -> Verification:
    """Recompute every promise from a table; of a file, the verifier reads the bytes by itself."""
    if isinstance(source, FileSource):
        return check_file(source.path, source.form, quasi_identifiers, sensitive, requirements, source.separator)
    table = source.read([*quasi_identifiers, *sensitive])
    return verify_release(table, quasi_identifiers, sensitive, requirements)
