"""Is there a Java, does the cluster answer, have its workers what they need."""

from __future__ import annotations

from pathlib import Path

import pytest

from sfumato.errors import EngineError, MissingExtraError, ParameterError
from sfumato.run.large.spark import session as sessions
from sfumato.run.large.spark.session import Spark, java_version, require_spark
from sfumato.run.where import is_spark_frame

JAVAS = {
    'openjdk version "17.0.15" 2025-04-15': 17,
    'java version "1.8.0_402"': 8,
    'openjdk version "25" 2025-09-16 LTS': 25,
    "no version at all": None,
}


@pytest.fixture
def java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let JAVA_HOME hold a program that says what a test wants."""
    program = tmp_path / "bin" / "java"
    program.parent.mkdir()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    return program


def say(program: Path, words: str) -> None:
    program.write_text(f"#!/bin/sh\necho '{words}' >&2\n")
    program.chmod(0o755)


@pytest.mark.parametrize("words", JAVAS)
def test_the_version_of_java_is_read(java: Path, words: str) -> None:
    say(java, words)
    assert java_version() == JAVAS[words]


def test_without_java_the_message_says_what_to_install(java: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "find_spec", lambda name: name)
    with pytest.raises(EngineError, match=r"needs Java, and there is none here\. Install .*openjdk-17.*JAVA_HOME"):
        require_spark()
    say(java, 'openjdk version "11.0.2"')
    with pytest.raises(EngineError, match="17 or newer; the one here is 11"):
        require_spark()


def test_without_java_on_path_there_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert java_version() is None


def test_without_pyspark_the_message_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"sfumato\[spark\]"):
        require_spark()


@pytest.mark.parametrize(
    "address", ["spark://host:7077", "local", "local[4]", "local[*]", "yarn", "k8s://https://host:6443"]
)
def test_masters_are_known(address: str) -> None:
    assert Spark(address).address == address


@pytest.mark.parametrize("address", ["", "host:7077", "duckdb", "http://host", "locally", 7077])
def test_other_addresses_are_refused(address: str) -> None:
    with pytest.raises(ParameterError, match=r"The 'address' parameter of Spark must be a master such as"):
        Spark(address)


def test_a_frame_is_known_without_importing_spark() -> None:
    assert not is_spark_frame([1, 2])
