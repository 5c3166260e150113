"""Hierarchies, models and parameters as they are written on the command line, such as ``numeric:5,10``."""

from __future__ import annotations

from inspect import signature
from pathlib import Path
from typing import Any

from sfumato.common.textfiles import parsed_json, read_text
from sfumato.errors import ParameterError, did_you_mean, shortened
from sfumato.hierarchies import HIERARCHIES, KINDS, Hierarchy, Taxonomy
from sfumato.hierarchies.base import as_number
from sfumato.privacy import PrivacyModel
from sfumato.run.policy import hierarchy_from_policy, model_from_policy


def split_pair(option: str, text: str, example: str) -> tuple[str, str]:
    """Split ``name=value``; if it is written otherwise, the error shows how."""
    name, equals, value = text.partition("=")
    if not (name.strip() and equals and value.strip()):
        raise ParameterError(f"{option} {shortened(text)} is not of the form {example}.")
    return name.strip(), value.strip()


def hierarchy_of(text: str, where: str) -> Hierarchy | None:
    """Read a hierarchy such as ``numeric:5,10``, ``prefix`` or ``zip.csv``."""
    kind, colon, rest = text.partition(":")
    if kind in HIERARCHIES:
        if not colon and _needs_more(kind):
            raise ParameterError(f"{where} needs something after the colon, as in {KINDS[kind].shorthand}.")
        return hierarchy_from_policy({"type": kind} | _after_colon(kind, rest, bool(colon), where), where)
    if not Path(text).exists():
        raise ParameterError(
            f"{where}: {shortened(text)} is neither a hierarchy file nor a kind of hierarchy. "
            f"Give the path of a file, or one of {', '.join(HIERARCHIES)}. {did_you_mean(kind, HIERARCHIES)}".rstrip()
        )
    return Taxonomy.read(text)


def _after_colon(kind: str, text: str, given: bool, where: str) -> dict[str, Any]:
    try:
        return KINDS[kind].from_short(text) if given else {}
    except ParameterError as error:
        raise ParameterError(f"{where}: {error}") from None


def _needs_more(kind: str) -> bool:
    """Whether a kind needs parameters: one of them has no default, or a taxonomy lacks its file."""
    wanted = signature(HIERARCHIES[kind]).parameters.values()
    return kind == Taxonomy.name or any(one.default is one.empty for one in wanted)


def model(text: str) -> PrivacyModel:
    """Read a privacy model such as ``l-diversity:l=3,kind=entropy``."""
    name, _, rest = text.partition(":")
    record: dict[str, Any] = {"model": name.strip()}
    for part in filter(None, rest.split(",")):
        key, value = split_pair("--privacy", part, "name=value, as in l-diversity:l=3,kind=entropy")
        record[key] = _file_or_number(value) if key in _FILES else value if key in _TEXTS else literal(value)
    return model_from_policy(record, f"--privacy {name}")


def _file_or_number(text: str) -> dict[str, str] | int | float:
    """Read a population: the path of a file, or a number of people."""
    said = literal(text)
    return {"file": text} if isinstance(said, str | bool) else said


#: Parameters of models that name a file; a population may also be a number.
_FILES = {"taxonomy", "population"}
#: Parameters of models that are text even if they look like a number.
_TEXTS = {"column", "kind", "distance"}


def literal(text: str) -> bool | int | float | str:
    """Read ``true``, ``false`` or a number; any other text stands for itself."""
    if text in {"true", "false"}:
        return text == "true"
    return as_number(text)


def queries(path: str) -> Any:
    """Read a workload from a JSON file: a list of queries, each with a range or categories by column."""
    text = read_text(Path(path), "The workload", ParameterError)
    example = '[{"age": [20, 39], "city": "Siena"}]'
    other = ParameterError(f"--minimize {path} is not JSON. It is a list of queries, such as {example}.")
    return parsed_json(text, lambda _: other)


def literals(text: str) -> bool | int | float | str | list[bool | int | float | str]:
    """Read a list, which has commas or brackets, or else a single value.

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
