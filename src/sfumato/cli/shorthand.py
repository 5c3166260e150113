"""Hierarchies, models and parameters in the few characters that fit into a command."""

from __future__ import annotations

import json
from inspect import signature
from pathlib import Path
from typing import Any

from sfumato.common.textfiles import read_text
from sfumato.errors import ParameterError, shortened
from sfumato.hierarchies import HIERARCHIES, KINDS, Hierarchy, Taxonomy
from sfumato.hierarchies.base import as_number
from sfumato.privacy import PrivacyModel
from sfumato.run.policy import hierarchy_from_policy, model_from_policy


def split_pair(option: str, text: str, example: str) -> tuple[str, str]:
    """Return both sides of ``name=value``, or show how it is written."""
    name, equals, value = text.partition("=")
    if not (name.strip() and equals and value.strip()):
        raise ParameterError(f"{option} {shortened(text)} is not of the form {example}.")
    return name.strip(), value.strip()


def hierarchy_of(text: str, where: str) -> Hierarchy | None:
    """Return the hierarchy that a text such as ``numeric:5,10``, ``prefix`` or ``zip.csv`` means."""
    kind, colon, rest = text.partition(":")
    if kind in HIERARCHIES:
        if not colon and _needs_more(kind):
            raise ParameterError(f"{where} needs something after the colon, as in {KINDS[kind].shorthand}.")
        return hierarchy_from_policy({"type": kind} | _after_colon(kind, rest, bool(colon), where), where)
    if not Path(text).exists():
        raise ParameterError(
            f"{where}: {shortened(text)} is neither a hierarchy file nor a kind of hierarchy. "
            f"Give the path of a file, or one of {', '.join(HIERARCHIES)}."
        )
    return Taxonomy.read(text)


def _after_colon(kind: str, text: str, given: bool, where: str) -> dict[str, Any]:
    try:
        return KINDS[kind].from_short(text) if given else {}
    except ParameterError as error:
        raise ParameterError(f"{where}: {error}") from None


def _needs_more(kind: str) -> bool:
    """Return whether a kind says nothing without a colon: some parameter has no default, or all of them together."""
    wanted = signature(HIERARCHIES[kind]).parameters.values()
    return kind == Taxonomy.name or any(one.default is one.empty for one in wanted)


def model(text: str) -> PrivacyModel:
    """Return the privacy model that a text such as ``l-diversity:l=3,kind=entropy`` means."""
    name, _, rest = text.partition(":")
    record: dict[str, Any] = {"model": name.strip()}
    for part in filter(None, rest.split(",")):
        key, value = split_pair("--privacy", part, "name=value, as in l-diversity:l=3,kind=entropy")
        record[key] = _file_or_number(value) if key in _FILES else value if key in _TEXTS else literal(value)
    return model_from_policy(record, f"--privacy {name}")


def _file_or_number(text: str) -> dict[str, str] | int | float:
    """Return the file that a text names, or the number of people that it says."""
    said = literal(text)
    return {"file": text} if isinstance(said, str | bool) else said


#: Parameters of models that are files; a population may be a number.
_FILES = {"taxonomy", "population"}
#: Parameters of models that are text even if they look like a number.
_TEXTS = {"column", "kind", "distance"}


def literal(text: str) -> bool | int | float | str:
    """Return the value that a text stands for: true, false, a number, or itself."""
    if text in {"true", "false"}:
        return text == "true"
    return as_number(text)


def queries(path: str) -> Any:
    """Return the workload of a JSON file: a list of queries, each with a range or categories by column."""
    text = read_text(Path(path), "The workload", ParameterError)
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise ParameterError(
            f'--minimize {path} is not JSON. It is a list of queries, such as [{{"age": [20, 39], "city": "Siena"}}].'
        ) from None


def literals(text: str) -> bool | int | float | str | list[bool | int | float | str]:
    """Return the list that a text with commas or in brackets stands for, or else its one value.

    Examples
    --------
    >>> literals("40,50"), literals("[40]"), literals("5")
    ([40, 50], [40], 5)
    """
    bracketed = text.startswith("[") and text.endswith("]")
    if not bracketed and "," not in text:
        return literal(text)
    parts = (part.strip() for part in (text[1:-1] if bracketed else text).split(","))
    return [literal(part) for part in parts if part]
