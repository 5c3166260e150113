"""The policy: ready to copy, without the secret of the release and without values of people."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.common.html import Markup, element
from sfumato.common.toml import dumps
from sfumato.hierarchies import Hierarchy, Ordered
from sfumato.release.manifest import method_shown
from sfumato.release.report.parts import code, items, names, paragraph, section

if TYPE_CHECKING:
    from sfumato.release.release import Release
    from sfumato.release.report.facts import ReportFacts

#: The roles of a policy, and their names in a manifest.
ROLES = {"sensitive": "sensitive", "identifiers": "identifier", "plain": "plain"}

#: Options that stay secret: the seed can undo the order of the rows.
SECRET = {"seed"}

#: Parameters that list names of levels and bands, not values of people.
DECLARED = {"levels", "labels"}

#: Placeholders: for a list of values that the release does not show, and for the file of a taxonomy with such values.
LEFT_OUT = ["(left out)"]
TAXONOMY = "taxonomy.csv"

#: A longer policy is left out, to keep the page readable.
LONGEST_POLICY = 60_000
TOO_LONG = "It is too long for this page. Write it to a file: --save-policy FILE, or Policy.write in Python."

COMMAND = "sfumato anonymize ORIGINAL -o RELEASE --policy policy.toml"


def section_policy(found: ReportFacts) -> Markup:
    """The policy, and the command that makes the release again."""
    notes = ["The seed is not here. It can undo the order of the rows, so it stays in the manifest, with the owner."]
    if found.elided:
        notes.append(
            f"What lists values of {names(found.elided)} is left out, since the table does not show all of them: take "
            "it from your own policy."
        )
    return section(
        "policy",
        "The policy",
        "What has to be kept to make this table again, or to make the next one in the same way.",
        code(found.policy, "policy") if len(found.policy) <= LONGEST_POLICY else paragraph(TOO_LONG),
        items(notes),
        paragraph("Saved as ", element("code", "policy.toml"), ", this makes the release:"),
        code(COMMAND, "command"),
    )


def policy_of_release(release: Release) -> tuple[str, list[str]]:
    """The policy that reproduces a release, and the columns whose declarations are incomplete in it."""
    manifest = release.manifest
    roles = manifest["roles"]
    # A preset declares the order of a column that it recodes, and will do so again.
    recoded = manifest.get("preset", {}).get("recoded", {})
    hierarchies = {
        name: {"type": "auto"} if hierarchy is None or _is_made(name, hierarchy, recoded) else hierarchy.to_policy()
        for name, hierarchy in release.hierarchies.items()
    }
    data = {
        **{key: [name for name, one in roles.items() if one == role] for key, role in ROLES.items()},
        "person": next((name for name, role in roles.items() if role == "person"), None),
        "weights": next((name for name, role in roles.items() if role == "weight"), None),
        "rest": "drop" if "drop" in roles.values() else None,
        "quasi_identifiers": hierarchies,
        "privacy": manifest["privacy"],
        "method": {"name": manifest["method"]["name"]} | dict(manifest["method"]["parameters"]),
        "options": manifest["options"],
    }
    return shown_policy(data, release.table)


def _is_made(name: str, hierarchy: Hierarchy, recoded: Collection[str]) -> bool:
    return name in recoded and isinstance(hierarchy, Ordered)


def shown_policy(data: Mapping[str, Any], released: pa.Table) -> tuple[str, list[str]]:
    """A policy as text, and the columns whose hierarchies list values that are left to their files."""
    elided: list[str] = []
    hierarchies = {}
    for name, record in data["quasi_identifiers"].items():
        hierarchies[name] = _without_values(name, record, released)
        if hierarchies[name].keys() ^ record.keys() or LEFT_OUT in hierarchies[name].values():
            elided.append(name)
    models = [{key: _named(value) for key, value in model.items()} for model in data["privacy"]]
    options = {key: value for key, value in data.get("options", {}).items() if key not in SECRET and _said(value)}
    policy = {
        **{key: value for key, value in data.items() if key in {*ROLES, "person", "weights", "rest"} and _said(value)},
        "quasi_identifiers": hierarchies,
        "privacy": models,
        "method": _plain(data["method"]),
        "options": options,
    }
    return dumps(policy), elided


def _without_values(name: str, record: Mapping[str, Any], released: pa.Table) -> dict[str, Any]:
    """The declaration of a column; what lists values that the release does not show lies in a file."""
    if "file" in record:
        return {**record, "file": PurePath(str(record["file"])).name}
    lists = {key: value for key, value in record.items() if key not in DECLARED}
    listed = {text for value in lists.values() for text in _texts_in(value)}
    if listed <= _shown_texts(name, released):
        return dict(record)
    if "rows" in record:
        return {key: value for key, value in record.items() if key != "rows"} | {"file": TAXONOMY}
    return {key: LEFT_OUT if key in lists and _texts_in(value) else value for key, value in record.items()}


def _texts_in(value: object) -> set[str]:
    """The texts in a list, however deep; a word on its own, such as a format, names no value."""
    if isinstance(value, Mapping):
        return {text for key, item in value.items() for text in ({str(key)} | _texts_in(item) | _single(item))}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return {text for item in value for text in (_texts_in(item) | _single(item))}
    return set()


def _single(item: object) -> set[str]:
    return {item} if isinstance(item, str) else set()


def _shown_texts(name: str, released: pa.Table) -> set[str]:
    if name not in released.column_names:
        return set()
    return {text for text in pc.unique(released.column(name).cast(pa.string())).to_pylist() if text is not None}


def _named(value: Any) -> Any:
    """A model's parameters, with files by name instead of their path on this machine."""
    if isinstance(value, Mapping):
        if "rows" in value:
            return {"file": TAXONOMY}
        return {key: PurePath(str(item)).name if key == "file" else item for key, item in value.items()}
    return {"file": TAXONOMY} if value == "given" else value


def _plain(method: Mapping[str, Any]) -> dict[str, Any]:
    """A method's parameters, without those that have no place in a policy file."""
    plain: dict[str, Any] = {}
    for key, value in method.items():
        if isinstance(value, Mapping) and "name" in value and "parameters" in value:
            plain[key] = _plain({"name": value["name"]} | dict(value["parameters"]))
        elif _said(value):
            plain[key] = method_shown(value)
    return plain


def _said(value: object) -> bool:
    return value is not None and value is not False and value not in ([], {})
