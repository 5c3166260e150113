"""What ``-h`` and ``--help-all`` print: the everyday options, or all of them, in groups."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sfumato.cli.exits import MEANING
from sfumato.cli.screen import screen_width, wrap

#: The options that several commands share, and those of ``anonymize``, by what they are about. Options of one command
#: that are missing here come first in its help.
GROUPS: Mapping[str, Sequence[str]] = {
    "Roles of columns": ("quasi_identifiers", "sensitive", "person", "identifiers", "plain", "rest", "weights"),
    "Privacy": (
        *("k", "l", "t", "privacy", "preset", "suppression", "sample", "max_gcp", "maximize"),
        *("confirm", "strict"),
    ),
    "How values are shown": (
        *("hierarchies", "transform", "pseudonymize", "missing", "intervals", "ends", "keep_order"),
    ),
    "Method": ("method", "settings", "minimize", "refine", "seed"),
    "Reading": (
        *("policy", "table", "read_as", "separator", "decimal", "dates", "encoding", "sheet", "skip", "layout", "na"),
    ),
    "Writing": (
        *("output", "write_as", "report", "title", "recipient", "purpose", "manifest", "certificate", "sign"),
        *("save_policy", "alternatives", "bound"),
        *("force", "as_json", "quiet"),
    ),
    "Machine": ("engine", "memory", "temporary", "threads"),
}

#: What most people need; the rest is shown by --help-all, or always by a command that has few options.
EVERYDAY = {
    *("quasi_identifiers", "sensitive", "person", "identifiers", "rest", "hierarchies"),
    *("k", "l", "preset", "suppression"),
    *("policy", "output", "report", "certificate"),
}
#: A command with at most so many options shows them all.
FEW = 16

#: The first line of the help of commands that need every column's role.
NEW_HERE = "New here? `sfumato init FILE` asks about every column and writes a policy."
FOR_NEWCOMERS = {"anonymize", "sfumato"}

#: Wider lines are hard to read, and longer names of options begin their text on the next line.
WIDEST, LONGEST_NAME = 100, 22

_EXAMPLE = re.compile(r"\s*For example:\s+")


def command_help(command: Any, ctx: Any, everything: bool = False) -> str:
    """Write the help of a command: what it does, an example, and its options in groups."""
    given = command.get_params(ctx)
    arguments = [one for one in given if one.param_type_name == "argument"]
    options = [one for one in given if one.param_type_name == "option" and not one.hidden and one.name != "help_all"]
    grouped = _grouped([one for one in options if one.name != "help"])
    shown = grouped if everything or len(options) <= FEW else _everyday(grouped)
    left = sum(map(len, grouped.values())) - sum(map(len, shown.values()))
    lists = {"Arguments": [(one.metavar or one.name, one.help or "") for one in arguments]} if arguments else {}
    lists |= {title: [one.get_help_record(ctx) for one in group] for title, group in shown.items()}
    parts = [
        *([_paragraph(NEW_HERE)] if command.name in FOR_NEWCOMERS else []),
        _paragraph(_usage(ctx.command_path, arguments, options), "       "),
        *_described(command.help or ""),
        *_listed(lists),
        *([_paragraph(f"{left} more options: {ctx.command_path} --help-all")] if left else []),
    ]
    return "\n\n".join(parts)


def commands_help(ctx: Any, group: Any, commands: Mapping[str, Mapping[str, str]]) -> str:
    """Write the help of the program: every command in its group, and the exit codes."""
    options = [one.get_help_record(ctx) for one in group.get_params(ctx)]
    codes = [(str(code), meaning) for code, meaning in MEANING.items()]
    return "\n\n".join(
        [
            _paragraph(NEW_HERE),
            _paragraph(f"Usage: {ctx.command_path} COMMAND [OPTIONS]"),
            *_described(group.help),
            *_listed({title: list(lines.items()) for title, lines in commands.items()}),
            f"{ctx.command_path} COMMAND -h shows the options of a command.",
            *_listed({"Options": [one for one in options if one is not None]}),
            *_listed({"Exit codes": codes}),
        ]
    )


def _usage(path: str, arguments: Sequence[Any], options: Sequence[Any]) -> str:
    """Say what has to be given, in the order in which people type it."""
    named = [(one.metavar or one.name.upper(), one.required) for one in arguments]
    words = [name if required else f"[{name}]" for name, required in named]
    words += [f"{min(one.opts, key=len)} {one.metavar}" for one in options if one.required]
    return " ".join(["Usage:", path, *words, "[OPTIONS]"])


def _grouped(options: Sequence[Any]) -> dict[str, list[Any]]:
    """Put options in their groups; those of one command alone come first."""
    places = {name: (title, at) for title, names in GROUPS.items() for at, name in enumerate(names)}
    groups: dict[str, list[Any]] = {title: [] for title in ("Options", *GROUPS)}
    for one in options:
        groups[places.get(one.name, ("Options", 0))[0]].append(one)
    for title, group in groups.items():
        group.sort(key=lambda one: places.get(one.name, (title, 0))[1])
    return {title: group for title, group in groups.items() if group}


def _everyday(grouped: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
    """Leave out what few people need."""
    kept = {
        title: group if title == "Options" else [one for one in group if one.required or one.name in EVERYDAY]
        for title, group in grouped.items()
    }
    return {title: group for title, group in kept.items() if group}


def _described(text: str) -> Iterator[str]:
    """Wrap what a docstring says, and its example as lines that can be copied."""
    said, *examples = _EXAMPLE.split(text)
    for part in re.split(r"\n\s*\n", said.strip()):
        yield _paragraph(" ".join(part.split()))
    for example in examples:
        commands = " ".join(example.split()).split(", then ")
        yield "\n".join(["For example:", *(line for one in commands for line in _copyable(one))])


def _copyable(command: str) -> list[str]:
    """Break a command before an option, with a backslash, where it is wider than the screen."""
    lines = ["  "]
    for word in re.split(r" (?=-)", command):
        if len(lines[-1]) + len(word) > _width() - 3 and lines[-1].strip():
            lines[-1] += " \\"
            lines.append("     ")
        lines[-1] += word if lines[-1] == "  " else f" {word}"
    return lines


def _listed(lists: Mapping[str, Sequence[tuple[str, str]]]) -> Iterator[str]:
    """Write names and their texts side by side, under a title each; all texts begin in the same column."""
    names = [len(name) for lines in lists.values() for name, _ in lines]
    room = 2 + min(max(names, default=0), LONGEST_NAME) + 2
    for title, lines in lists.items():
        written = [f"{title}:"]
        for name, text in lines:
            start = f"  {name}"
            if len(start) > room - 2:
                written.append(start)
                start = ""
            written += wrap(f"{start:<{room}}{text}", _width(), " " * room)
        yield "\n".join(written)


def _paragraph(text: str, indent: str = "") -> str:
    return "\n".join(wrap(text, _width(), indent))


def _width() -> int:
    return min(screen_width(), WIDEST)
