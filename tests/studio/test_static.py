"""The files of the page: small, vendored modules as recorded, and every text in both languages."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest

import sfumato.studio
from sfumato.studio.app import sent

STATIC = Path(sfumato.studio.__file__).parent / "static"
VENDOR = STATIC / "vendor"
RECORDED = json.loads((VENDOR / "versions.json").read_text(encoding="utf-8"))
MOST_BYTES = 120_000


@pytest.mark.parametrize("record", RECORDED, ids=lambda record: record["file"])
def test_a_vendored_module_is_what_was_published_but_for_what_is_recorded(record: dict[str, str]) -> None:
    shipped = (VENDOR / record["file"]).read_text(encoding="utf-8")
    assert hashlib.sha256(shipped.encode()).hexdigest() == record["sha256"]
    original = shipped
    for published, ours in record["replaced"]:
        original = original.replace(ours, published) if ours else original + published
    assert hashlib.sha256(original.encode()).hexdigest() == record["original"]
    licence = VENDOR / f"LICENSE.{record['package'].replace('@', '').replace('/', '-')}.txt"
    assert "opyright" in licence.read_text(encoding="utf-8")
    assert record["license"] in {"MIT", "Apache-2.0"}


def test_every_vendored_module_is_recorded() -> None:
    assert {path.name for path in VENDOR.glob("*.js")} == {record["file"] for record in RECORDED}


def test_script_and_style_are_small() -> None:
    """With the texts of both languages, of which a page loads one."""
    files = [path for path in STATIC.rglob("*") if path.suffix in {".js", ".css", ".html"}]
    assert sum(len(sent(path)) for path in files) <= MOST_BYTES


def test_comments_are_not_sent_and_vendored_modules_are_sent_as_they_are() -> None:
    for path in STATIC.rglob("*.js"):
        shipped, shown = path.read_text(encoding="utf-8"), sent(path).decode()
        if path.parent == VENDOR:
            assert shown == shipped
        else:
            lines = (line.lstrip(" ") for line in shipped.splitlines(keepends=True))
            assert shown == "".join(line for line in lines if not line.startswith(("//", "/**")))
            assert "/**" not in shown


def imported(path: Path) -> set[Path]:
    """Return the modules that a module needs before it runs, itself included."""
    direct = re.findall(r'^(?:import|export)[^;]*?from ?"(\.[^"]+)";', path.read_text(encoding="utf-8"), re.MULTILINE)
    vendored = re.findall(r'(?:from|import)"(\./[^"]+)"', path.read_text(encoding="utf-8"))
    return {path}.union(*(imported((path.parent / one).resolve()) for one in {*direct, *vendored}))


def test_what_the_page_begins_with_is_asked_for_at_once() -> None:
    """One after the other, as they import each other, the modules would take several times as long."""
    asked = re.findall(r'modulepreload" href="/static/([^"]+)"', (STATIC / "index.html").read_text(encoding="utf-8"))
    needed = {path.relative_to(STATIC).as_posix() for path in imported(STATIC / "main.js")}
    assert sorted(asked) == sorted(needed)
    assert {"ui.js", "vendor/signals-core.js", "screens/begin.js"} <= needed
    assert len(needed) <= 12, "each one more makes the page stand later"


def test_the_pictures_of_the_tour_are_small_and_each_has_its_place() -> None:
    page = Path(__file__).parents[2] / "docs" / "how-to" / "studio.md"
    shown = re.findall(r"\(studio/([\w-]+\.(?:png|webp))\)", page.read_text(encoding="utf-8"))
    pictures = {path.name: path.stat().st_size for path in page.with_suffix("").iterdir()}
    assert sorted(shown) == sorted(pictures)
    assert max(pictures.values()) < 125_000
    assert sum(pictures.values()) < 2_500_000


def keys_of(text: str) -> list[str]:
    """Return the keys of a file of texts, in their order."""
    return re.findall(r"""^\s*["']?([\w-]+)["']?:|[{,]\s*["']?([\w-]+)["']?:""", text, re.MULTILINE)


def test_both_languages_have_the_same_texts() -> None:
    english, german = ((STATIC / "texts" / f"{name}.js").read_text(encoding="utf-8") for name in ("en", "de"))
    assert keys_of(english) == keys_of(german)
    assert len(keys_of(english)) > 20


def test_nothing_asks_for_anything_elsewhere() -> None:
    for path in STATIC.rglob("*"):
        if path.suffix in {".js", ".css", ".html"} and path.parent != VENDOR:
            assert not re.search(r"https?://", path.read_text(encoding="utf-8").replace("http://www.w3.org", "")), path
