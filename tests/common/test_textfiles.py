"""Paths to hierarchies, policies and workloads lead to regular files of a sane size, and errors quote none of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sfumato as sf
from sfumato.cli.recode import levels_of_manifest
from sfumato.cli.shorthand import queries
from sfumato.common import textfiles
from sfumato.errors import HierarchyError, ParameterError, SfumatoError
from sfumato.release.certificate import Certificate
from sfumato.run.presets import Preset

READERS: list[Callable[[Any], object]] = [sf.Taxonomy.read, sf.Policy.read, queries]


@pytest.mark.parametrize("read", READERS, ids=["hierarchy", "policy", "workload"])
@pytest.mark.parametrize("path", ["/dev/zero", "/dev/null", "pipe", "."])
def test_devices_and_pipes_are_not_read(tmp_path: Path, read: Callable[[Any], object], path: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SfumatoError, match=r"is not a regular file|[Ii]s a directory"):
        read(path if path.startswith("/") else tmp_path / path)


@pytest.mark.parametrize("read", READERS, ids=["hierarchy", "policy", "workload"])
def test_files_beyond_all_measure_are_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: Callable[[Any], object]
) -> None:
    path = tmp_path / "huge"
    with path.open("wb") as file:
        file.truncate(textfiles.LISTED + 1)  # a hole: it takes no space
    monkeypatch.setattr(textfiles, "_bytes", lambda _, limit: b"x" * (limit + 1))
    with pytest.raises(SfumatoError, match=r"is larger than .* MB"):
        read(path)


@pytest.mark.parametrize(
    "text", ["root:$6$SECRET:1\nuser:SECRET\n", "a;SECRET;*\na;OTHER;*\n", "a;X;SECRET\nb;X;OTHER\n"]
)
def test_what_is_no_hierarchy_is_not_quoted(tmp_path: Path, text: str) -> None:
    path = tmp_path / "shadow"
    path.write_text(text)
    with pytest.raises(HierarchyError) as caught:
        sf.Taxonomy.read(path, ";" if ";" in text else ":")
    assert "line 2" in str(caught.value)
    assert "SECRET" not in str(caught.value)


def test_what_is_no_policy_is_not_quoted(tmp_path: Path) -> None:
    path = tmp_path / "shadow"
    path.write_text("root:$6$SECRET:1\n")
    with pytest.raises(ParameterError) as caught:
        sf.Policy.read(path)
    assert "SECRET" not in str(caught.value)


DEEP = "[" * 100_000 + "]" * 100_000


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"a = {DEEP}", "nested more than 100 deep"),
        (f"[{'.'.join('a' * 100_000)}]", "nested more than 100 deep"),
        ("'a' . " * 100_000 + "b = 1", "nested more than 100 deep"),
        (f"a = {'[' * 150}{']' * 150}", "nested more than 100 deep"),
        (f"a = {'9' * 5_000}", "a number that is too long"),
    ],
)
def test_no_policy_or_preset_is_too_deep_to_be_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "deep.toml"
    path.write_text(text)
    for read in (sf.Policy.read, lambda file: Preset.named(str(file))):
        with pytest.raises(ParameterError, match=said):
            read(path)


@pytest.mark.parametrize("text", [DEEP, '{"a": ' + "9" * 5_000 + "}", '{"certificate": ' + "[" * 500 + "]" * 500 + "}"])
def test_no_json_is_too_deep_to_be_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "deep.json"
    path.write_text(text)
    for read in (sf.Taxonomy.read, queries, levels_of_manifest, Certificate.read):
        with pytest.raises(SfumatoError):
            read(path)


def test_ordinary_text_is_not_taken_for_nesting() -> None:
    long = ". ".join(["A sentence"] * 500) + "1.5, " * 500
    assert textfiles.parsed_toml(f'a = "{long}"', ParameterError) == {"a": long}
