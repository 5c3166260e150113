"""Names and values come from strangers: what a terminal would obey is shown, wherever it is printed."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
from tests.cli.command import run

import sfumato as sf
from sfumato.errors import OutputError, SchemaError, SfumatoError, listed, printable

EVIL = "\x1b]0;owned\x07\x9b2J\u202eegap\r"


def is_harmless(text: str) -> bool:
    return all(character == "\n" or character.isprintable() for character in text)


def test_every_error_is_harmless() -> None:
    for error in (SfumatoError(EVIL), SchemaError(f"Column '{EVIL}'"), OutputError(EVIL)):
        assert is_harmless(str(error))
        assert "\\x1b]0;owned\\x07" in str(error)
    assert listed(["a\nb", EVIL]) == "'a\\nb', '" + printable(EVIL) + "'"
    with pytest.raises(SchemaError) as caught:
        sf.anonymize(pa.table({EVIL: [1, 2]}), quasi_identifiers="age", k=2)
    assert is_harmless(str(caught.value))


def test_summaries_are_harmless() -> None:
    table = pa.table({EVIL: ["x", EVIL, EVIL], f"s\n{EVIL}": [EVIL, "a", "b"]})
    result = sf.check(table, quasi_identifiers=EVIL, sensitive=f"s\n{EVIL}", k=2, l=2)
    assert not result.ok
    assert is_harmless(result.summary())
    assert len(result.summary().split("\n")) == 5
    release = sf.anonymize(table, quasi_identifiers=EVIL, sensitive=f"s\n{EVIL}", k=3, method="mondrian")
    assert is_harmless(release.summary())


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_the_command_line_is_harmless(tmp_path: Path, options: tuple[str, ...]) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"age": EVIL, "b": 1}) + "\n" + json.dumps({"age": "[red]x", "b": 2}) + "\n")
    done = run("check", path, "--qi", "age", "-k", 2, *options)
    assert done.code == 1
    assert is_harmless(done.stdout)
    assert is_harmless(done.stderr)
    if options:
        assert json.loads(done.stdout)["rules"][0]["sample"][0]["values"]["age"] in {EVIL, "[red]x"}
    else:
        assert "[red]x" in done.stdout
