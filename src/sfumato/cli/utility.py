"""``sfumato utility`` and ``sfumato compare``: what is left of a table, and which method at which k."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import typer

from sfumato.api.compare import Comparison, compare_for
from sfumato.api.utility import utility
from sfumato.cli.exits import FAILED
from sfumato.cli.options import Asked
from sfumato.cli.request import Given, columns_of, given_table, opened, to_policy
from sfumato.cli.risk import known_columns
from sfumato.cli.screen import answer, answer_json, is_watched, say, wrapped
from sfumato.common.charts.picture import altair
from sfumato.common.charts.theme import DARK, LIGHT
from sfumato.common.html import Markup, element, style
from sfumato.common.progress import silent
from sfumato.errors import ParameterError
from sfumato.io import write_text
from sfumato.privacy import KAnonymity

#: How a picture may be written.
PICTURES = (".svg", ".png", ".html")

#: A page by itself has the colours that its reader prefers, and the picture that was drawn for them.
PAGE = f"""
body {{ margin: 1.5rem; color: {LIGHT.ink}; background: {LIGHT.paper}; }}
svg {{ max-width: 100%; height: auto; }}
.dark {{ display: none; }}
@media (prefers-color-scheme: dark) {{
  body {{ color: {DARK.ink}; background: {DARK.paper}; }} .light {{ display: none; }} .dark {{ display: block; }}
}}
""".strip()


def show_utility(
    asked: Asked, original: Given, release: Path, label: str | None, held_out: Path | None, as_json: bool
) -> None:
    """Answer with what is left of a table in its release."""
    with opened(original, asked) as (people, policy):
        found = utility(
            people,
            release,
            quasi_identifiers=known_columns(policy.schema),
            label=label if label is not None else next(iter(policy.schema.sensitive), None),
            held_out=held_out,
            seed=policy.seed,
        )
    if as_json:
        answer_json(found.to_dict() | {"notes": list(found.notes)})
    else:
        answer(wrapped(found.summary()))


@dataclass(frozen=True)
class Tried:
    """What is compared, and how its answer is wanted."""

    k: str
    methods: Sequence[str]
    time_limit: float | None = None
    utility: bool = False
    plot: Path | None = None

    def sizes(self) -> list[int]:
        """Return every k that is named."""
        try:
            return [int(part) for part in self.k.split(",")]
        except ValueError:
            raise ParameterError(
                f"-k takes whole numbers with commas between, such as 2,5,10,50. Got '{self.k}'."
            ) from None

    def names(self) -> list[str]:
        """Return every method that is named."""
        return [name.strip() for one in self.methods for name in one.split(",") if name.strip()]

    def check(self) -> None:
        """Refuse a picture that cannot be written before the work, not after it."""
        if self.plot is None:
            return
        if self.plot.suffix not in PICTURES:
            raise ParameterError(f"--plot writes files that end in .svg, .png or .html. Got '{self.plot.name}'.")
        altair()


def show_comparison(asked: Asked, place: str, tried: Tried, as_json: bool, quiet: bool) -> None:
    """Answer with what every method loses and takes at every k; the exit code is 1 where none is possible."""
    sizes, names = tried.sizes(), tried.names()
    tried.check()
    data = given_table(place, asked)
    policy = to_policy(asked, columns_of(data, asked))
    others = [model for model in policy.privacy if not isinstance(model, KAnonymity)]
    found = compare_for(
        data,
        replace(policy, privacy=others),
        names,
        sizes,
        tried.time_limit,
        utility=tried.utility,
        progress=silent if quiet else is_watched(),
    )
    if tried.plot is not None:
        draw(found, tried.plot)
        if not quiet:
            say(f"wrote {tried.plot}")
    if as_json:
        answer_json({"cells": [cell.to_dict() for cell in found.cells]})
    else:
        answer(str(found))
    if all(cell.failed for cell in found.cells):
        raise typer.Exit(FAILED)


def draw(found: Comparison, path: Path) -> None:
    """Write a picture of a comparison; a page also has its table, and neither script nor anything from outside."""
    if path.suffix != ".html":
        found.picture.write(path)
        return
    head = element("head", element("meta", charset="utf-8"), element("title", "Comparison"), style(PAGE))
    drawn = [element("div", Markup(found.picture.svg(dark=kind == "dark")), class_=kind) for kind in ("light", "dark")]
    body = element("body", drawn, Markup(found._repr_html_()))
    write_text(path, f"<!doctype html>\n{element('html', head, body, lang='en')}\n")
