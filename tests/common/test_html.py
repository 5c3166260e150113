"""HTML that strangers' names go into: nothing of them is ever obeyed."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from sfumato.common.html import Markup, bar, element, facts, folded, fragment, joined, style, table, verdict

HOSTILE = (
    "<script>alert(1)</script>",
    "</td></table></div><img src=x onerror=alert(1)>",
    "\"' onmouseover='alert(1)",
    "&lt;script&gt;",
    "-->]]></style><!--",
    "x" * 10_000,
    "שלום עולם",
    "\u202eevil\u2066",
    "\ud800\x00\x1b[2J",
    "🙂" * 300,
)


class Page(HTMLParser):
    """What a browser would make of a page: its tags, its attributes, its text; tags are closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in {"br", "hr", "img", "meta", "col", "wbr"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def assert_harmless(text: str) -> Page:
    page = Page(text)
    assert not page.open
    assert not {"script", "img", "iframe", "link", "object"} & set(page.tags)
    assert not [name for name, _ in page.attributes if name.startswith("on") or name in {"src", "href", "style"}]
    text.encode("utf-8")
    return page


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_strange_text_is_only_text(text: str) -> None:
    built = fragment(
        text,
        verdict(False, text),
        facts([(text, text)]),
        table([text, "n"], [[text, bar(0.3)], [text, 1.5]], {1}, caption=text),
        folded(text, element("pre", text), element("i", text, title=text, aria_label=text)),
    )
    page = assert_harmless(built)
    assert page.tags.count("table") == 2
    assert page.tags.count("i") == 1


def test_text_arrives_as_it_was() -> None:
    words = "a < b & \"c\" 'd' שלום"
    assert "".join(Page(element("p", words)).words) == words
    assert Page(element("p", title=words)).attributes == [("title", words)]


def test_long_text_is_cut_in_tables_and_whole_in_code() -> None:
    long = "y" * 10_000
    assert len(table(["a"], [[long]])) < 400
    assert len(facts([(long, long)])) < 1500
    assert len(element("pre", long)) > 10_000


def test_markup_is_not_escaped_twice_and_its_parts_are() -> None:
    inside = element("b", "&")
    assert element("p", inside) == "<p><b>&amp;</b></p>"
    assert element("p", [inside, None, (1, "<")]) == "<p><b>&amp;</b>1&lt;</p>"
    assert element("p", inside[:3]) == "<p>&lt;b&gt;</p>"
    assert isinstance(joined("a"), Markup)


@pytest.mark.parametrize("name", ["script", "style", "b onclick=x", "", "B"])
def test_an_element_that_could_do_harm_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="no element"):
        element(name)


@pytest.mark.parametrize("attribute", ["onclick", "style", "src", "a b", "href"])
def test_an_attribute_that_could_do_harm_is_refused(attribute: str) -> None:
    with pytest.raises(ValueError, match=r"attribute|same page"):
        element("a", **{attribute: "https://example.org"})
    assert element("a", href="#top") == '<a href="#top"></a>'


def test_rules_cannot_leave_their_element() -> None:
    with pytest.raises(ValueError, match="no markup"):
        style("</style><script>")


@pytest.mark.parametrize(("share", "width"), [(-1.0, "0.0"), (0.25, "25.0"), (7.0, "100.0")])
def test_a_bar_stays_in_its_box(share: float, width: str) -> None:
    assert [found for name, found in Page(bar(share)).attributes if name == "width"] == ["100", width]
