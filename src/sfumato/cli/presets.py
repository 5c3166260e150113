"""``sfumato presets``: the presets, what each asks for, and their files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli import options
from sfumato.cli.screen import answer, answer_json, answer_verbatim, wrapped

if TYPE_CHECKING:
    from sfumato.run.presets import Preset


def presets(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Print this one, as a file to change.")] = None,
    as_json: options.AsJson = False,
) -> None:
    """List the presets: what each asks for, its source, and what it does not cover. With a name, print its file.

    It says what was read in the source itself (confirmed) and what is only reported.
    For example: sfumato presets hipaa-safe-harbor > rules.toml, then sfumato anonymize ... --preset rules.toml
    """
    from sfumato.run.presets import Preset

    if name is not None:
        preset = Preset.named(name)
        answer_json(preset.to_dict()) if as_json else answer_verbatim(preset.text.rstrip())
        return
    if as_json:
        answer_json([preset.to_dict() for preset in Preset.all()])
        return
    answer("\n\n".join(wrapped(describe(preset)) for preset in Preset.all()))
    answer("\nNone of these is legal advice. sfumato presets NAME prints a preset as a file to change.")


def describe(preset: Preset) -> str:
    """Describe a preset in a paragraph."""
    asked = ", ".join(map(str, preset.privacy)) or "what you ask for"
    lines = [("asks for", asked), ("source", preset.source), *([("date", preset.date)] if preset.date else [])]
    said = {"confirmed": preset.confirmed, "only reported": preset.reported, "not covered": preset.not_covered}
    for name, sentences in said.items():
        lines += [(name if at == 0 else "", one) for at, one in enumerate(sentences)]
    shown = [f"{name:<15}{text}" for name, text in lines]
    return "\n".join([f"{preset.name}: {preset.summary}", *shown])
