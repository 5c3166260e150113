"""A picture: a chart, what it shows in words, and the same numbers as a table."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from sfumato.common.charts.theme import DARK, LIGHT, Palette, config
from sfumato.common.html import Markup, element, joined
from sfumato.errors import MissingExtraError, ParameterError

if TYPE_CHECKING:
    import altair as alt

#: One value of a table beside a picture.
Value = str | int | float | None

#: What a drawing in a page may consist of, and how it may look.
SHAPES = {"g", "path", "text", "rect", "line", "circle"}
LOOKS = {
    *(
        "transform",
        "d",
        "x",
        "y",
        "x1",
        "x2",
        "y1",
        "y2",
        "width",
        "height",
        "fill",
        "stroke",
        "opacity",
        "fill-opacity",
    ),
    *("stroke-width", "stroke-dasharray", "text-anchor", "font-size", "font-weight", "stroke-opacity"),
}
#: The size of a drawing in a page, in pixels: as wide as a telephone shows it without making its text smaller.
PAGE_WIDTH, PAGE_HEIGHT = 320, 190
#: How much thinner bars across are in a page.
SMALLER = 0.62
#: The most pixels of a label in a page, so that enough is left for what is drawn.
PAGE_LABELS = 112
#: Room on both sides of a drawing: the reader's font may be wider than the one it was measured with.
ROOM = 10
LONG_NUMBER = re.compile(r"-?\d+\.\d{2,}")

#: Names are shortened to this many letters where they stand at an axis.
LONGEST_LABEL = 36

#: The size of a chart by itself, in pixels.
WIDTH, HEIGHT = 560, 280


@dataclass(frozen=True)
class Picture:
    """A chart and its twin: the same numbers as a table.

    Attributes
    ----------
    title
        What the chart shows, as a sentence.
    description
        The same for people who use a screen reader.
    headers, rows
        The numbers as a table, for reading, copying and screen readers.
    draw
        Makes the chart with the colours of a palette. Only this needs Altair.
    """

    title: str
    description: str
    headers: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    draw: Callable[[Palette], Any] = field(repr=False)

    @property
    def chart(self) -> alt.TopLevelMixin:
        """The Altair chart, with the colours for light paper."""
        return self.themed(LIGHT)

    def themed(self, palette: Palette, titled: bool = True) -> Any:
        """The Altair chart in some colours; without its title where a caption says it."""
        chart = self.draw(palette).properties(description=self.description)
        if titled:
            chart = chart.properties(title=wrapped(self.title))
        chart["usermeta"] = {"embedOptions": {"actions": False}}  # no menu, and so no link to an outside editor
        return chart.configure(**config(palette))

    def svg(self, dark: bool = False, titled: bool = True, for_page: bool = False) -> str:
        """The chart as SVG; nothing is fetched for it. ``for_page`` makes it as small as a column of a page."""
        alt = altair()
        # Tests cover these charts, and validating every part against the schema takes longer than drawing.
        with alt.utils.schemapi.debug_mode(False):
            spec = self.themed(DARK if dark else LIGHT, titled).to_dict(validate=False)
        if for_page:
            _make_small(spec)
        version = "_".join(alt.SCHEMA_VERSION.split(".")[:2])
        return str(import_module("vl_convert").vegalite_to_svg(spec, vl_version=version))

    def png(self, dark: bool = False, scale: float = 2.0) -> bytes:
        """The chart as PNG; nothing is fetched for it."""
        data = io.BytesIO()
        self.themed(DARK if dark else LIGHT).save(data, format="png", scale_factor=scale)
        return data.getvalue()

    def write(self, path: str | os.PathLike[str], dark: bool = False) -> None:
        """Write the chart to a file that ends in .svg or .png."""
        file = Path(path)
        if file.suffix == ".svg":
            file.write_text(self.svg(dark), encoding="utf-8")
        elif file.suffix == ".png":
            file.write_bytes(self.png(dark))
        else:
            raise ParameterError(f"A picture is written to a file that ends in .svg or .png. Got '{file.name}'.")


def altair() -> Any:
    """Import Altair, or say how to install it."""
    try:
        import altair  # noqa: PLC0415
        import vl_convert  # noqa: F401, PLC0415
    except ImportError:
        raise MissingExtraError("Drawing", "report") from None
    return altair


def _make_small(spec: dict[str, Any]) -> None:
    """Fit a chart, with its axes, into a column of a page; of bars across, each gets thinner."""
    across = "height" in spec and spec["height"] != HEIGHT
    spec["width"], spec["autosize"] = PAGE_WIDTH, {"type": "fit-x", "contains": "padding"}
    spec["height"] = round(SMALLER * spec["height"]) if across else PAGE_HEIGHT
    spec["config"]["axis"]["labelLimit"] = PAGE_LABELS
    spec["config"]["axis"]["titleLimit"] = PAGE_WIDTH


def inline(picture: Picture) -> Markup:
    """A picture as a part of a page: in its own size or smaller, with the page's background and its description.

    Vega adds much that a page does not need: classes, roles of single bars, empty groups. Only shapes and text are
    kept, with attributes from an allowlist, so nothing in it can run.
    """
    root = ElementTree.fromstring(picture.svg(titled=False, for_page=True))
    shapes = [_shape(child) for child in root if not _is_paper(child)]
    width, height = (float(side) for side in str(root.get("viewBox")).split()[2:])
    box = f"{-ROOM:g} 0 {width + 2 * ROOM:g} {height:g}"
    return element("svg", shapes, viewBox=box, width=width + 2 * ROOM, role="img", aria_label=picture.description)


def _is_paper(child: ElementTree.Element) -> bool:
    return child.tag.endswith("}rect") and child.get("fill") == LIGHT.paper


def _shape(found: ElementTree.Element) -> Markup:
    """One element of a drawing with its parts; None for an element that draws nothing."""
    name = found.tag.rpartition("}")[2]
    parts = joined(*(_shape(child) for child in found))
    if name not in SHAPES or (name == "g" and not parts) or (name == "path" and not _is_seen(found)):
        return parts
    look = {key.replace("-", "_"): _tidy(value) for key, value in found.attrib.items() if key in LOOKS}
    inside = found.text if name == "text" else None
    return parts if name == "g" and not look else element(name, inside, parts, **look)


def _is_seen(path: ElementTree.Element) -> bool:
    return bool(path.get("d")) and not {path.get("fill", "none"), path.get("stroke", "none")} <= {"none"}


def _tidy(value: str) -> str:
    """Round the numbers of an attribute to a tenth, which looks the same."""
    return LONG_NUMBER.sub(lambda found: f"{float(found[0]):.1f}".removesuffix(".0"), value)


def wrapped(title: str, length: int = 74) -> list[str]:
    """A title in lines that fit above a chart.

    >>> wrapped("one two three", 8)
    ['one two', 'three']
    """
    lines: list[str] = [""]
    for word in title.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > length:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def short(name: str, longest: int = LONGEST_LABEL) -> str:
    """A name that fits at an axis; of a longer one its beginning and its end, since beginnings are often alike.

    >>> short("a very long name of a column", 15)
    'a very … column'
    """
    name = " ".join(name.split())
    if len(name) <= longest:
        return name
    half = (longest - 3) // 2
    return f"{name[: longest - 3 - half].rstrip()} … {name[len(name) - half :].lstrip()}"


def distinct_labels(names: Sequence[str], longest: int = LONGEST_LABEL) -> list[str]:
    """Shorten names so that they fit at an axis and stay different from each other.

    >>> distinct_labels(["a" * 50, "a" * 51], 9)
    ['aaa … aaa', 'aaa … aaa (2)']
    """
    labels: list[str] = []
    for name in names:
        label = base = short(name, longest)
        number = 1
        while label in labels:
            number += 1
            label = f"{base} ({number})"
        labels.append(label)
    return labels
