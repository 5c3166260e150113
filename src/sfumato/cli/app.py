"""The commands by name; the module of a command is imported when the command runs or prints its help."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial, wraps
from importlib import import_module
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from sfumato import __version__
from sfumato.cli.exits import end_cleanly_when_terminated, explained
from sfumato.cli.options import Asked
from sfumato.cli.screen import answer
from sfumato.errors import shortened

if TYPE_CHECKING:
    Mixed = TyperCommand
else:
    Mixed = object

#: Every command with its line in ``sfumato --help``, in groups. ``sfumato.cli.risk.risk`` is the command ``risk``.
GROUPS = {
    "Start": {
        "init": "Write a first policy, after asking about every column.",
        "profile": "Describe a table, and suggest a role for each column.",
        "hierarchy": "Preview the hierarchy of a column, and write it to a file to edit.",
        "studio": "Go from a file to a signed release in the browser, on this machine.",
        "demo": "Make up a census, anonymize it and show the result.",
    },
    "Make": {
        "anonymize": "Anonymize a table; the release is checked before it is written.",
        "recode": "Recode next month's table to the levels of last month's release.",
        "anatomize": "Release two tables: exact rows with groups, and the groups' sensitive values.",
        "sql": "Print SQL that makes a full-domain release inside the database.",
        "clean": "Remove the temporary files of runs that were killed.",
    },
    "Check": {
        "check": "Check any table against privacy models.",
        "risk": "Measure how likely people in a table are to be re-identified.",
        "attack": "Attack a release as someone who knows some columns would.",
        "utility": "Measure what is left of a table in its release.",
    },
    "Understand": {
        "explain": "Explain why a release looks as it does, and what other settings would cost.",
        "compare": "Compare methods at several k on one table.",
        "frontier": "Show what each k costs and what it protects.",
        "methods": "List the methods and what each guarantees.",
        "presets": "List the presets: what regulations ask for.",
    },
    "Hand out": {
        "report": "Write a report about a release for the person who signs it off.",
        "sign": "Sign a certificate with a key of yours.",
    },
}
COMMANDS = {name: line for lines in GROUPS.values() for name, line in lines.items()}

#: The types of options whose values are words, or are easily converted from one.
TEXT = (str, str | None)
TEXTS = (list[str], list[str] | None)
PATH = (Path, Path | None)
WHOLE = (int, int | None)
NUMBER = (float, float | None)
NUMBERS = (list[float], list[float] | None)
#: Longer whole numbers fit in no column, and Python refuses to read those with thousands of digits.
LONGEST_NUMBER = 18


#: Words that people try as commands, and what does it.
TRIED = {
    "help": "sfumato -h, or sfumato COMMAND -h",
    "version": "sfumato --version",
    "certificate": "sfumato anonymize with --certificate FILE; sfumato check with --certificate FILE recomputes one",
    "verify": "sfumato check",
    "validate": "sfumato check",
    "test": "sfumato check",
    "describe": "sfumato profile",
    "inspect": "sfumato profile",
    "show": "sfumato profile",
    "policy": "sfumato init",
    "start": "sfumato init",
    "new": "sfumato init",
    "generalize": "sfumato anonymize",
    "mask": "sfumato anonymize",
    "run": "sfumato anonymize",
    "hierarchies": "sfumato hierarchy",
    "measure": "sfumato risk, or sfumato utility",
    "gui": "sfumato studio",
    "ui": "sfumato studio",
}
#: What to do about words that belong to no option.
WORDS_TOO_MANY = "Part several values of an option by commas, such as --qi age,zip, and quote what holds blanks."


class _ParsesAtOnce(Mixed):
    """A command, or a group of them, that leaves to Typer only the values that may be wrong.

    Typer checks every value, also of options that are not given, with a library that takes longer to load than the rest
    of the command line. Text needs no check; what may be wrong is left to Typer, whose messages users know.
    """

    def get_params(self, ctx: Any) -> Any:
        """The options and arguments of a command, including those that every command has."""
        types = getattr(self.callback, "__annotations__", {})
        found = super().get_params(ctx)
        for one in found:
            if "process_value" not in vars(one):
                one.process_value = partial(_process, one, types.get(one.name), one.process_value)  # type: ignore[method-assign]
        return found

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Parse the words of a command line; an option without its value, and words too many, are explained."""
        try:
            options = {name: one for one in self.get_params(ctx) for name in one.opts}
            parsed = super().parse_args(ctx, _without_values(args, options))
        except Exception as error:
            said = str(getattr(error, "message", ""))
            option = options.get(getattr(error, "option_name", ""))
            if "requires an argument" in said and option is not None and option.metavar and option.help:
                error.message = f"{said} It takes {option.metavar}: {option.help}"  # type: ignore[attr-defined]
            lacking = getattr(error, "param", None) if type(error).__name__ == "MissingParameter" else None
            if lacking is not None and getattr(lacking, "help", None):
                error.message = str(lacking.help)  # type: ignore[attr-defined]
            if "unexpected extra argument" in said:
                error.message = f"{said}. {_too_many(said)}"  # type: ignore[attr-defined]
            short = f"-{said.removeprefix('No such option: --')[:1]}"
            if said == f"No such option: -{short}" and short in options:
                error.message, error.possibilities = f"{said}. Did you mean {short}?", None  # type: ignore[attr-defined]
            raise
        return parsed


def _too_many(said: str) -> str:
    """What to do about words that belong to no option: several files, or several values."""
    words = said.rpartition("(")[2].rstrip(")").split()
    if all(Path(word).is_file() for word in words):
        return "A command reads one table: name several files by a pattern in quotes, such as 'visits_*.csv'."
    return WORDS_TOO_MANY


def _without_values(args: list[str], options: Mapping[str, Any]) -> list[str]:
    """Cut a command line off behind an option that another option follows instead of a value, so that it is refused."""
    left = iter(enumerate(args))
    for place, word in left:
        option = options.get(word)
        if word == "--" or option is None or getattr(option, "is_flag", False) or getattr(option, "count", False):
            continue
        if next(left, (0, ""))[1] in options:
            return args[: place + 1]
    return args


def _process(option: Any, annotation: object, by_typer: Callable[[Any, Any], Any], ctx: Any, value: Any) -> Any:
    """Process the value of an option or argument as Typer would."""
    if value is None and not option.required:
        nothing: Any = () if option.multiple or option.nargs == -1 else None
        return nothing if option.callback is None else option.callback(ctx, option, nothing)
    wanted = next(iter(get_args(annotation)), None)
    made = _of_text(value, wanted)
    if made is not None and option.callback is None:
        return made
    try:
        return by_typer(ctx, value)
    except typer.BadParameter:
        what = "a whole number, such as 10" if wanted in WHOLE else "a number" if wanted in (*NUMBER, *NUMBERS) else ""
        if not what:
            raise
        wrong = next((one for one in value if not _is_number(one)), value) if wanted in NUMBERS else value
        raise typer.BadParameter(f"{shortened(wrong)} is not {what}.{_meant(wrong)}", ctx=ctx, param=option) from None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _meant(value: object) -> str:
    """How to write what looks like a number to people.

    >>> _meant("2%"), _meant("0,2"), _meant("=5"), _meant("many")
    (' For 2 % write 0.02.', ' Write 0.2.', ' Write a blank instead of the equals sign.', '')
    """
    text = str(value).strip()
    if re.fullmatch(r"\d{1,3}(\.\d+)? ?%", text):
        share = text.rstrip("% ")
        return f" For {share} % write {float(share) / 100:.6g}."
    if re.fullmatch(r"\d{1,9},\d{1,9}", text):
        return f" Write {text.replace(',', '.')}."
    return " Write a blank instead of the equals sign." if text.startswith("=") else ""


def _of_text(value: object, wanted: object) -> object:
    """Convert one or several words where nothing can be wrong with them; otherwise None."""
    if isinstance(value, list | tuple):
        return value if value and wanted in TEXTS and all(isinstance(one, str) for one in value) else None
    if not isinstance(value, str):
        return None
    if wanted in TEXT:
        return value
    if wanted in PATH and value:
        return Path(value)
    return _number(value, wanted) if len(value) <= LONGEST_NUMBER and value.isascii() else None


def _number(digits: str, wanted: object) -> object:
    """Convert plain digits, for some options with a decimal point; otherwise None."""
    if wanted in WHOLE and digits.isdigit():
        return int(digits)
    return float(digits) if wanted in NUMBER and digits.replace(".", "", 1).isdigit() else None


class Command(_ParsesAtOnce, TyperCommand):
    """A command of Sfumato."""

    def get_help(self, ctx: Any) -> str:
        """The everyday options."""
        from sfumato.cli.help import command_help

        return command_help(self, ctx)


def _show_everything(ctx: typer.Context, wanted: bool) -> None:
    if wanted:
        from sfumato.cli.help import command_help

        answer(command_help(ctx.command, ctx, everything=True))
        raise typer.Exit


HelpAll = Annotated[
    bool, typer.Option("--help-all", callback=_show_everything, is_eager=True, help="Show all options and exit.")
]


class _Loaded(Mapping[str, Any]):
    """The commands by name, each imported and prepared when it is first looked up."""

    def __init__(self) -> None:
        self._prepared: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._prepared:
            self._prepared[name] = _prepare(name, COMMANDS[name])
        return self._prepared[name]

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


def _prepare(name: str, short_help: str) -> Any:
    """Make a command of the function that has the name of its module."""
    function = _with_options(getattr(import_module(f"sfumato.cli.{name}"), name))
    alone = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    alone.command(name, cls=Command, short_help=short_help)(function)
    return typer.main.get_command(alone)


def _with_options(function: Callable[..., None]) -> Callable[..., None]:
    """Replace the parameter ``asked`` of a command by the options that it takes, for Typer to see."""
    taken: Sequence[str] = getattr(function, "taken_options", ())
    kinds = get_type_hints(Asked, include_extras=True)
    options = [Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=kinds[name]) for name in taken]
    own = get_type_hints(function, include_extras=True)
    shown: list[Parameter] = []
    for one in signature(function).parameters.values():
        plain = one.replace(kind=Parameter.KEYWORD_ONLY, annotation=own[one.name])
        shown += options if one.name == "asked" else [plain]
    shown.append(Parameter("help_all", Parameter.KEYWORD_ONLY, default=False, annotation=HelpAll))

    @wraps(function)
    def run(help_all: bool, **given: Any) -> None:
        said = {name: given.pop(name) for name in taken}
        asked = {"asked": Asked(command=function.__name__, **said)} if taken else {}
        with explained(), _kept_files(said) if "force" in said else nullcontext():
            function(**asked, **given)

    run.__signature__ = signature(function).replace(parameters=shown)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in shown}
    return run


def _kept_files(said: Mapping[str, Any]) -> AbstractContextManager[None]:
    """Protect existing files from a command that writes; imported here, since not every command writes."""
    from sfumato.io.atomic import kept_files

    return kept_files(said["force"] or ())


class Commands(_ParsesAtOnce, TyperGroup):
    """All commands, of which only the one that the user typed is imported."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = _Loaded()  # type: ignore[assignment]

    def list_commands(self, ctx: Any) -> list[str]:
        """List the names in the order of the help."""
        return list(COMMANDS)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command; a file instead of one, and words that people try, are explained."""
        try:
            return super().resolve_command(ctx, args)
        except Exception as error:
            tried, said = args[0], str(getattr(error, "message", ""))
            if said.startswith("No such command") and Path(tried).is_file():
                hint = f"It is a file: sfumato profile {tried} describes it, sfumato init {tried} begins a policy."
                error.message = f"{said} {hint}"  # type: ignore[attr-defined]
            elif said.startswith("No such command") and tried.lower() in TRIED:
                hint = f"What you look for is {TRIED[tried.lower()]}."
                error.message = f"No such command '{tried}'. {hint}"  # type: ignore[attr-defined]
            raise

    def get_help(self, ctx: Any) -> str:
        """Every command in its group, without importing any."""
        from sfumato.cli.help import commands_help

        return commands_help(ctx, self, GROUPS)


app = typer.Typer(
    name="sfumato",
    cls=Commands,
    help="Publish tables about people so that nobody in them can be singled out.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def run() -> None:
    """Run the command that the user typed."""
    end_cleanly_when_terminated()
    app()


def _show_version(wanted: bool) -> None:
    if wanted:
        answer(f"sfumato {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Publish tables about people so that nobody in them can be singled out."""
