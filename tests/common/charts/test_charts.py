"""Pictures say what is to be seen, have their numbers beside them, and are saved without the network."""

from __future__ import annotations

import builtins
import math
import re
from xml.etree import ElementTree

import pytest

from sfumato.common.charts import charts
from sfumato.common.charts.charts import Axis, Picture
from sfumato.common.charts.theme import DARK, LIGHT, Palette, colours
from sfumato.errors import MissingExtraError, ParameterError

BANDS = ["1", "2", "3–4", "5–10"]
PICTURES = {
    "loss": charts.loss_by_column({"age": 0.4, "sex": 0.0, "<b>": 0.12}, overall=0.18),
    "classes": charts.class_sizes({5: 100, 6: 80, 7: 20, 60: 1}, promised=5),
    "risk": charts.risk_before_after(BANDS, [0.6, 0.2, 0.1, 0.1], [0, 0, 0, 1]),
    "column": charts.column_before_after("age", ["20–30", "30–40"], [0.25, 0.75], [0.3, 0.7], 0.95),
    "k": charts.loss_against_k(
        {"auto": {2: 0.1, 50: 0.2}, "mondrian": {2: 0.3}}, {2: 0.05, 50: 0.1}, [("auto", 2), ("auto", 50)]
    ),
    "time": charts.cost_over_time([0, 1, 5], [1000, 900, 880], [None, 500, 870], "dm"),
    "lattice": charts.lattice([("1, 0", 1, 0.2, "chosen"), ("2, 2", 4, 0.4, "minimal")]),
    "lines": charts.lines("T", Axis("rows"), Axis("seconds", log=True), [1, 2, 3], {"a": [0.1, 3], "b": [0, 1, 2]}),
    "points": charts.points("T", Axis("seconds", log=True), Axis("loss"), [("a", 0.1, 1), ("b", 3, 2)]),
    "bars": charts.bars("T", "method", Axis("loss"), ["a", "b"], {"x": [0.1, math.nan], "y": [0.3, None]}),
    "one of everything": charts.class_sizes({7: 1}),
    "nothing": charts.loss_by_column({}),
    "no class": charts.class_sizes({}),
}


@pytest.fixture(params=PICTURES, name="picture")
def every_picture(request: pytest.FixtureRequest) -> Picture:
    return PICTURES[request.param]


class TestEveryPicture:
    def test_has_a_title_axes_and_a_description(self, picture: Picture):
        spec = picture.chart.to_dict()
        assert " ".join(spec["title"]) == picture.title
        assert spec["description"] == picture.description
        assert picture.title in picture.description
        assert len(titles_of_axes(spec)) == 2

    def test_is_svg_without_menu_link_or_script(self, picture: Picture):
        assert picture.chart.to_dict()["usermeta"] == {"embedOptions": {"actions": False}}
        check_svg(picture.svg(), LIGHT)

    def test_every_drawn_number_is_in_the_table(self, picture: Picture):
        beside = {value for row in picture.rows for value in row}
        for records in picture.chart.to_dict().get("datasets", {}).values():
            for record in records:
                for key, value in record.items():
                    if isinstance(value, float) and key != "order" and "name" not in record:
                        assert value in beside


def check_svg(text: str, palette: Palette) -> None:
    links = set(re.findall(r"https?://[^\"' <)]+", text))
    assert links <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    assert not {"style", "onclick"} & {name for one in ElementTree.fromstring(text).iter() for name in one.attrib}
    assert set(re.findall(r'(?:fill|stroke)="(#[0-9a-f]{6})"', text)) <= {*vars(palette).values()}


@pytest.mark.parametrize("name", ["risk", "lines"])
def test_dark_paper_has_its_own_colours(name: str):
    check_svg(PICTURES[name].svg(dark=True), DARK)


def titles_of_axes(spec: object) -> set[str]:
    """Return the titles of all axes in a chart, however deep its layers are."""
    if isinstance(spec, list):
        return set().union(*map(titles_of_axes, spec)) if spec else set()
    if not isinstance(spec, dict):
        return set()
    own = {spec["axis"]["title"]} if isinstance(spec.get("axis"), dict) and "title" in spec["axis"] else set()
    return own.union(*map(titles_of_axes, spec.values()))


class TestFindings:
    def test_titles_say_what_is_to_be_seen(self):
        assert PICTURES["loss"].title == "age lost most: 40% of its detail"
        assert PICTURES["classes"].title == "Everybody looks like at least 4 others; 4 were promised"
        assert PICTURES["risk"].title == "Before, 60.0% of people looked like nobody else; now nobody does"
        assert PICTURES["k"].title == "auto loses least at 2 of 2 k"
        assert PICTURES["time"].title == "After 5 s, dm 880 is at most 1.1% above the least"
        assert charts.cost_over_time([2.0], [3.0], [3.0], "gcp").title == "After 2 s, gcp 3 is proven to be the least"
        assert PICTURES["nothing"].title == "No column lost any detail"

    def test_the_largest_loss_stands_first(self):
        assert [row[0] for row in PICTURES["loss"].rows] == ["age", "<b>", "sex"]

    def test_bins_of_classes_lose_nobody(self):
        rows = charts.class_sizes({3: 5, 4: 1, 8: 2, 31: 1}).rows
        assert sum(row[1] for row in rows) == 9
        assert sum(row[2] for row in rows) == pytest.approx(1)

    def test_many_columns_are_all_in_the_table(self):
        many = charts.loss_by_column({f"column {at}": at / 1000 for at in range(200)})
        assert len(many.rows) == 200
        assert len(next(iter(many.chart.to_dict()["datasets"].values()))) == charts.MOST_BARS


class TestHostileNames:
    NAMES = (
        "<script>alert(1)</script>",
        "datum['x']",
        "a" * 10_000,
        "a" * 10_001,
        "שלום\u202eevil",
        "🙂",
        "",
        "\n",
        'q"',
    )

    def test_are_drawn_as_text(self):
        text = charts.loss_by_column(dict.fromkeys(self.NAMES, 0.1)).svg()
        drawn = {one.text for one in ElementTree.fromstring(text).iter("{http://www.w3.org/2000/svg}text")}
        assert "<script>alert(1)</script>" in drawn
        assert "datum['x']" in drawn
        assert len(text) < 30_000

    def test_names_that_look_alike_when_short_stay_apart(self):
        drawn = charts.bars("T", "x", Axis("y"), self.NAMES, {"n": range(len(self.NAMES))}).chart.to_dict()
        labels = [one["category"] for one in next(iter(drawn["datasets"].values()))]
        assert len(set(labels)) == len(self.NAMES)


class TestColours:
    def contrast(self, one: str, other: str) -> float:
        """The contrast of two colours, by the definition of WCAG 2."""
        lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
        return (lighter + 0.05) / (darker + 0.05)

    @pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
    def test_stand_out_from_their_paper(self, palette: Palette):
        assert self.contrast(palette.ink, palette.paper) > 10
        assert self.contrast(palette.muted, palette.paper) > 4.5
        assert min(self.contrast(colour, palette.paper) for colour in palette.series) >= 3

    @pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
    def test_before_and_after_differ_without_hue(self, palette: Palette):
        light, dark = luminance(palette.before), luminance(palette.accent)
        assert abs(light - dark) > 0.03

    def test_each_has_its_own_place_in_both_palettes(self):
        found = list(colours())
        assert len({light for _, light, _ in found}) == len({dark for _, _, dark in found}) == len(found)


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_pictures_are_written_by_their_ending(tmp_path):
    PICTURES["k"].write(tmp_path / "k.png")
    PICTURES["k"].write(tmp_path / "k.svg")
    assert (tmp_path / "k.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "k.svg").read_text(encoding="utf-8").startswith("<svg")
    with pytest.raises(ParameterError, match=r"ends in \.svg or \.png"):
        PICTURES["k"].write(tmp_path / "k.pdf")


def test_bars_have_no_logarithmic_axis():
    with pytest.raises(ParameterError, match="Bars are lengths from 0"):
        charts.bars("T", "x", Axis("y", log=True), ["a"], {"n": [1]})


def test_without_the_extra_the_table_is_there_and_the_chart_names_it(monkeypatch):
    real = builtins.__import__

    def without_altair(name: str, *rest: object) -> object:
        if name == "altair":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without_altair)
    picture = charts.loss_by_column({"age": 0.4})
    assert picture.rows == (("age", 0.4),)
    with pytest.raises(MissingExtraError, match=r"pip install 'sfumato\[report\]'"):
        _ = picture.chart
