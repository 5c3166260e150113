"""How many processors the process may use: affinity, quotas of both versions of control groups, the environment."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from sfumato.common import processors
from sfumato.common.processors import allowed_processors, control_groups, cpu_quotas
from sfumato.common.threads import VARIABLE, usual_threads
from sfumato.errors import ParameterError


def groups(folder: Path, membership: str, files: dict[str, str]) -> tuple[Path, Path]:
    """Fake the files that tell a process about its control groups."""
    for name, text in files.items():
        path = folder / "cgroup" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n", encoding="ascii")
    (folder / "cgroup").mkdir(exist_ok=True)
    told = folder / "self"
    told.write_text(membership, encoding="utf-8")
    return folder / "cgroup", told


@pytest.fixture(autouse=True)
def count_again() -> Iterator[None]:
    """Count the processors anew in every test, and once more after it."""
    allowed_processors.cache_clear()
    yield
    allowed_processors.cache_clear()


V1 = "12:cpu,cpuacct:/docker/abc\n11:memory:/docker/abc\n1:name=systemd:/\n"


@pytest.mark.parametrize(
    ("membership", "files", "quotas"),
    [
        ("0::/\n", {"cpu.max": "250000 100000"}, [2.5]),
        ("0::/\n", {"cpu.max": "max 100000"}, []),
        ("0::/\n", {}, []),
        ("0::/a/b\n", {"a/b/cpu.max": "max 100000", "a/cpu.max": "50000 100000", "cpu.max": "400000 100000"}, [0.5, 4]),
        # A container that sees the path of its host.
        ("0::/kubepods/pod1\n", {"cpu.max": "300000 100000"}, [3]),
        (V1, {"cpu,cpuacct/cpu.cfs_quota_us": "150000", "cpu,cpuacct/cpu.cfs_period_us": "100000"}, [1.5]),
        (V1, {"cpu,cpuacct/cpu.cfs_quota_us": "-1", "cpu,cpuacct/cpu.cfs_period_us": "100000"}, []),
        (
            V1,
            {
                "cpu,cpuacct/docker/abc/cpu.cfs_quota_us": "200000",
                "cpu,cpuacct/docker/abc/cpu.cfs_period_us": "100000",
                "memory/docker/abc/cpu.max": "100000 100000",
            },
            [2],
        ),
        ("nonsense\n", {"cpu.max": "100000 100000"}, []),
        ("0::/\n", {"cpu.max": "nonsense"}, []),
    ],
)
def test_quotas_of_control_groups(membership: str, files: dict[str, str], quotas: list[float], tmp_path: Path) -> None:
    assert list(cpu_quotas(*groups(tmp_path, membership, files))) == quotas


def test_without_control_groups_there_is_no_quota(tmp_path: Path) -> None:
    assert list(control_groups("cpu", tmp_path, tmp_path / "nowhere")) == []


@pytest.mark.parametrize(
    ("usable", "quotas", "allowed"), [(16, [], 16), (16, [2.5, 8], 3), (2, [8], 2), (4, [0.2], 1), (0, [], 1)]
)
def test_the_least_of_affinity_and_quotas_counts(
    usable: int, quotas: list[float], allowed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processors, "_usable", lambda: usable)
    monkeypatch.setattr(processors, "cpu_quotas", lambda: iter(quotas))
    assert allowed_processors() == allowed


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system does not bind processes to processors")
def test_a_process_that_is_bound_to_one_processor_uses_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(before)})
        assert usual_threads() == 1
    finally:
        os.sched_setaffinity(0, before)


def test_the_environment_says_how_many_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, " 5 ")
    assert usual_threads() == 5
    monkeypatch.setenv(VARIABLE, "")
    assert usual_threads() == allowed_processors()


@pytest.mark.parametrize("wrong", ["0", "-1", "two", "1.5"])
def test_what_is_no_number_of_threads_is_refused(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, wrong)
    with pytest.raises(ParameterError, match="SFUMATO_THREADS must be an integer of at least 1"):
        usual_threads()
