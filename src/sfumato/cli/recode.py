"""``sfumato recode``: next month's table under the bands that were chosen for last month's."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sfumato.cli.anonymize import refuse_stdout, tell_release
from sfumato.cli.files import Files, refuse_overwriting
from sfumato.cli.options import Asked
from sfumato.cli.request import columns_of, given_table, to_policy
from sfumato.cli.shorthand import literal, split_pair
from sfumato.common.textfiles import read_text
from sfumato.errors import ParameterError, SchemaError
from sfumato.methods import FixedLevels
from sfumato.privacy import KAnonymity


def run(
    asked: Asked, files: Files, like: Path | None, levels: Sequence[str], as_json: bool, quiet: bool = False
) -> None:
    """Recode a table to given levels, write it if the models hold, and tell about it."""
    refuse_stdout(files, as_json)
    chosen = (levels_of_manifest(like) if like is not None else {}) | named_levels(levels)
    if not chosen:
        raise ParameterError(
            "Say which levels: --like MANIFEST of the release that they were chosen for, or --level COLUMN=LEVEL for "
            "every quasi-identifier, such as --level 'age=width 10'."
        )
    if like is not None:
        refuse_overwriting(files.written(), {"manifest to follow": like})
    data = given_table(files.place, asked, files.read_as, files.table)
    policy = to_policy(asked, columns_of(data, asked))
    policy = replace(policy, method=FixedLevels(chosen), privacy=policy.privacy or [KAnonymity(1)])
    tell_release(policy, files, policy.open(data), as_json, quiet)


def levels_of_manifest(path: Path) -> dict[str, Any]:
    """Return the names of the levels that a release was made with."""
    text = read_text(path, "The manifest", ParameterError)
    try:
        method = json.loads(text)["method"]
        levels = method.get("levels")
    except (ValueError, TypeError, KeyError, AttributeError):
        raise ParameterError(f"{path} is not a manifest. Name the file that --manifest wrote.") from None
    if not isinstance(levels, Mapping):
        raise ParameterError(
            f"The release of {path} has no levels: its method, {method.get('name')}, makes other classes every time. "
            "Make last month's release with a full-domain method, such as --method lattice."
        )
    return dict(levels)


def named_levels(texts: Sequence[str]) -> dict[str, Any]:
    """Return levels by column, each as its number or its name.

    >>> named_levels(["age=width 10", "zip=2"])
    {'age': 'width 10', 'zip': 2}
    """
    levels: dict[str, Any] = {}
    for text in texts:
        column, level = split_pair("--level", text, "COLUMN=LEVEL, such as age=2 or 'age=width 10'")
        if column in levels:
            raise SchemaError(f"--level is given twice for '{column}'. Give it once.")
        number = literal(level)
        levels[column] = number if isinstance(number, int) and not isinstance(number, bool) else level
    return levels
