"""``sfumato presets``: what regulations ask for, and the files that say it."""

from __future__ import annotations

from sfumato.cli.screen import answer, answer_json, wrapped
from sfumato.run.presets import Preset


def run(name: str | None, as_json: bool) -> None:
    """List all presets, or print the file of one."""
    if name is not None:
        preset = Preset.named(name)
        answer_json(preset.to_dict()) if as_json else answer(preset.text.rstrip())
        return
    if as_json:
        answer_json([preset.to_dict() for preset in Preset.all()])
        return
    answer("\n\n".join(wrapped(describe(preset)) for preset in Preset.all()))
    answer("\nNone of these is legal advice. sfumato presets NAME prints a preset as a file to change.")


def describe(preset: Preset) -> str:
    """Return a paragraph about a preset."""
    asked = ", ".join(map(str, preset.privacy)) or "what you ask for"
    lines = [("asks for", asked), ("source", preset.source)]
    lines += [("not covered" if at == 0 else "", one) for at, one in enumerate(preset.not_covered)]
    shown = [f"{name:<13}{text}" for name, text in lines]
    return "\n".join([f"{preset.name}: {preset.summary}", *shown])
