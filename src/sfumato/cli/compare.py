"""``sfumato compare``: several methods at several k on one table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli import options
from sfumato.cli.exits import FAILED, INTERRUPTED
from sfumato.cli.screen import answer, answer_json, is_watched, say
from sfumato.errors import ParameterError

if TYPE_CHECKING:
    from sfumato.api.compare import Comparison

Sizes = Annotated[list[str], typer.Option("-k", metavar="K,K,…", help="Every k to try, in one option or in several.")]
Methods = Annotated[
    list[str], typer.Option("--method", metavar="NAME,NAME,…", help="The methods to try; 'sfumato methods' lists them.")
]
TimeLimit = Annotated[
    float | None,
    typer.Option("--time-limit", metavar="SECONDS", help="The time limit of each run, for methods that take one."),
]
WithUtility = Annotated[
    bool, typer.Option("--utility", help="Also measure what is left of the table, which takes longer.")
]
Plot = Annotated[
    Path | None,
    typer.Option("--plot", metavar="FILE", help="Draw loss against k, as .svg, .png or a page (.html)."),
]

#: The options that every cell of a comparison shares.
SHARED = {
    *("quasi_identifiers", "sensitive", "person", "identifiers", "plain", "rest", "hierarchies", "l", "t", "privacy"),
    *("suppression", "missing", "ends", "seed", "na", "policy"),
    *options.FILE,
    *options.WRITING,
}

#: How a picture may be written.
PICTURES = (".svg", ".png", ".html")


@options.takes(only=SHARED)
def compare(
    place: options.Place,
    asked: options.Asked,
    k: Sizes = ["2,5,10,50"],  # noqa: B006
    methods: Methods = ["auto", "hilbert", "mondrian"],  # noqa: B006
    time_limit: TimeLimit = None,
    with_utility: WithUtility = False,
    plot: Plot = None,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Try several methods at several k on one table, which is read once: what each loses, takes and achieves.

    For example: sfumato compare patients.csv --qi age --qi zip --rest drop -k 2,5,10,50 --method auto,best,mondrian
    """
    from sfumato.api.compare import compare_for
    from sfumato.cli.request import to_policy
    from sfumato.cli.table import Input, columns_of
    from sfumato.common.progress import silent
    from sfumato.privacy import KAnonymity

    sizes, names = sizes_of(",".join(k)), names_of(methods)
    _refuse_picture(plot, place)
    data = Input(place).open(asked)
    policy = to_policy(asked, columns_of(data, asked))
    others = [model for model in policy.privacy if not isinstance(model, KAnonymity)]
    found = compare_for(
        data,
        replace(policy, privacy=others),
        names,
        sizes,
        time_limit,
        utility=with_utility,
        progress=silent if quiet else is_watched(),
    )
    if plot is not None:
        draw(found, plot)
        if not quiet:
            say(f"wrote {plot}")
    if as_json:
        answer_json({"cells": [cell.to_dict() for cell in found.cells], "ended": found.ended})
    else:
        answer(str(found))
    if found.ended is not None:
        raise typer.Exit(INTERRUPTED)
    if all(cell.failed for cell in found.cells):
        raise typer.Exit(FAILED)


def sizes_of(text: str) -> list[int]:
    """Read every k of ``2,5,10``."""
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise ParameterError(f"-k takes whole numbers with commas between, such as 2,5,10,50. Got '{text}'.") from None


def names_of(texts: Sequence[str]) -> list[str]:
    """Read the names of all methods, whether separated by commas or by options."""
    return [name.strip() for one in texts for name in one.split(",") if name.strip()]


def _refuse_picture(path: Path | None, place: str) -> None:
    """Refuse, before the work starts, a picture that cannot be drawn or written."""
    from sfumato.cli.files import read_files, refuse_overwriting
    from sfumato.common.charts.picture import altair
    from sfumato.io import check_writable

    if path is None:
        return
    if path.suffix not in PICTURES:
        raise ParameterError(f"--plot writes files that end in .svg, .png or .html. Got '{path.name}'.")
    altair()
    refuse_overwriting({"picture": path}, read_files(place))
    check_writable(path, table=False)


def draw(found: Comparison, path: Path) -> None:
    """Draw a comparison; a page also has its table, runs no scripts and loads nothing from outside."""
    from sfumato.common.html import Markup, element, style
    from sfumato.io import write_text
    from sfumato.io.atomic import atomic_path

    if path.suffix == ".png":
        with atomic_path(path) as temporary:
            temporary.write_bytes(found.picture.png())
        return
    if path.suffix == ".svg":
        write_text(path, found.picture.svg())
        return
    head = element("head", element("meta", charset="utf-8"), element("title", "Comparison"), style(_css()))
    drawn = [element("div", Markup(found.picture.svg(dark=kind == "dark")), class_=kind) for kind in ("light", "dark")]
    body = element("body", drawn, Markup(found._repr_html_()))
    write_text(path, f"<!doctype html>\n{element('html', head, body, lang='en')}\n")


def _css() -> str:
    """Style the page in the colours that its reader prefers, and show the picture that was drawn for them."""
    from sfumato.common.charts.theme import DARK, LIGHT

    return f"""
body {{ margin: 1.5rem; color: {LIGHT.ink}; background: {LIGHT.paper}; }}
svg {{ max-width: 100%; height: auto; }}
.dark {{ display: none; }}
@media (prefers-color-scheme: dark) {{
  body {{ color: {DARK.ink}; background: {DARK.paper}; }} .light {{ display: none; }} .dark {{ display: block; }}
}}
""".strip()
