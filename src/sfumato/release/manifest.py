"""The manifest: how a release was made, without a single original value."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import version
from typing import Any

from sfumato.privacy import PrivacyModel

#: The packages whose versions can change a result.
PACKAGES = ("sfumato", "numpy", "numba", "pyarrow", "duckdb", "narwhals")


@cache
def versions() -> dict[str, str]:
    """The versions of Python and of the packages that can change a result; cached, since looking them up takes time."""
    return {"python": platform.python_version()} | {name: version(name) for name in PACKAGES}


def model_record(model: PrivacyModel) -> dict[str, Any]:
    """A model's parameters; a taxonomy is only mentioned, since its rows are original values."""
    record = model.to_policy()
    if "taxonomy" in record:
        record["taxonomy"] = "given"
    return record


def method_shown(record: Any) -> Any:
    """A method's parameters; of a workload only its length, since queries name original values."""
    if isinstance(record, Mapping):
        return {key: method_shown(value) for key, value in record.items()}
    if isinstance(record, list | tuple) and record and all(isinstance(item, Mapping) for item in record):
        return f"{len(record)} queries"
    return record


def build_manifest(
    *,
    source: str,
    rows: int,
    roles: Mapping[str, str],
    hierarchies: Mapping[str, str],
    models: Sequence[PrivacyModel],
    method: Mapping[str, Any],
    options: Mapping[str, Any],
    content: bytes,
    suppressed: Mapping[str, int],
    singling_out: Mapping[str, float] | None,
    seconds: Mapping[str, float],
) -> dict[str, Any]:
    """Collect what is needed to reproduce a release and to judge it."""
    ends = {} if singling_out is None else {"singling_out": singling_out}
    return {
        "versions": dict(versions()),
        "input": {"kind": source, "rows": rows, "columns": len(roles), "content_hash": content.hex()[:32]},
        "roles": dict(roles),
        "hierarchies": dict(hierarchies),
        "privacy": [model_record(model) for model in models],
        "method": method_shown(method),
        "options": dict(options),
        "suppressed": dict(suppressed),
        **ends,
        "seconds": {name: round(value, 4) for name, value in seconds.items()},
    }
