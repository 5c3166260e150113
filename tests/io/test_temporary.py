"""Temporary folders: nobody else reads them, they end with their run, and a living run keeps its own."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.command import run

from sfumato.errors import OutputError
from sfumato.io import temporary
from sfumato.io.temporary import OWNER, TemporaryFolder, remove_left_folders

# A run that has personal data in its folder and waits for whatever happens to it.
RUNNING = """
import sys, time
from sfumato.io.temporary import TemporaryFolder

with TemporaryFolder(sys.argv[1]) as folder:
    (folder.new("parts") / "rows").write_text("personal")
    print(folder.path, flush=True)
    time.sleep(120)
"""


def running(place: Path) -> tuple[subprocess.Popen[str], Path]:
    process = subprocess.Popen([sys.executable, "-c", RUNNING, str(place)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def test_only_the_user_may_look_into_a_folder(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with TemporaryFolder(tmp_path) as folder:
            modes = {path: stat.S_IMODE(path.stat().st_mode) for path in (folder.path, folder.new("parts"))}
            owner = stat.S_IMODE((folder.path / OWNER).stat().st_mode)
    finally:
        os.umask(before)
    assert set(modes.values()) == {0o700}
    assert owner == 0o600


@pytest.mark.parametrize("stop", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_a_folder_ends_with_what_was_done_in_it(stop: type[BaseException], tmp_path: Path) -> None:
    def work() -> None:
        with TemporaryFolder(tmp_path) as folder:
            (folder.new("parts") / "rows").write_text("personal", encoding="utf-8")
            assert folder.used() == len("personal")
            raise stop

    with pytest.raises(stop):
        work()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_nobody_holds_any_more_is_removed(tmp_path: Path) -> None:
    folder = TemporaryFolder(tmp_path)
    assert len(list(tmp_path.iterdir())) == 1
    del folder
    assert list(tmp_path.iterdir()) == []


def test_a_program_that_ends_at_once_closes_its_folders(tmp_path: Path) -> None:
    folder = TemporaryFolder(tmp_path)
    temporary.close_all()
    assert not folder.path.exists()


def test_two_runs_share_a_place_and_the_next_one_cleans_up_after_the_killed(tmp_path: Path) -> None:
    first, left = running(tmp_path)
    second, kept = running(tmp_path)
    try:
        assert (left / "parts" / "rows").exists(), "the second run must not take the first for a killed one"
        first.send_signal(signal.SIGKILL)
        first.wait()
        assert (left / "parts" / "rows").exists()
        with TemporaryFolder(tmp_path):
            assert not left.exists()
            assert (kept / "parts" / "rows").exists()
    finally:
        first.kill()
        second.kill()
        first.communicate()
        second.communicate()
    done = run("clean", "--temporary", tmp_path)
    assert (done.code, done.stdout) == (0, "Removed 1 temporary folder that killed runs left.\n")
    assert list(tmp_path.iterdir()) == []
    assert run("clean", "--temporary", tmp_path).stdout.startswith("Removed 0 temporary folders")


def test_what_is_not_ours_stays(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "rows").write_text("mine", encoding="utf-8")
    place = tmp_path / "place"
    place.mkdir()
    (place / f"sfumato-{'0' * 16}").symlink_to(outside)
    (place / f"sfumato-{'1' * 16}").mkdir()
    (place / f"sfumato-{'1' * 16}" / "no owner").touch()
    (place / "sfumato-notes").mkdir()
    (place / f"sfumato-{'2' * 16}").mkdir()
    assert remove_left_folders(place) == [place / f"sfumato-{'2' * 16}"], "one that was killed before it was locked"
    assert len(list(place.iterdir())) == 3
    assert (outside / "rows").exists()


def test_links_in_a_left_folder_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "rows").write_text("mine", encoding="utf-8")
    left = tmp_path / f"sfumato-{'3' * 16}"
    left.mkdir()
    (left / OWNER).touch()
    (left / "link").symlink_to(tmp_path / "rows")
    (left / "folder").symlink_to(tmp_path)
    assert remove_left_folders(tmp_path) == [left]
    assert [path.name for path in tmp_path.iterdir()] == ["rows"]


def test_a_disk_that_is_too_small_is_found_before_anything_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(100, 99, 2 * 10**9))  # type: ignore[attr-defined]
    with TemporaryFolder(tmp_path) as folder:
        folder.require(2 * 10**9)
        with pytest.raises(OutputError, match=r"about 12 GB, but .* has 2.0 GB free. Free some space, or name another"):
            folder.require(12 * 10**9)


def test_a_place_that_is_none_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for name in ("nowhere", "file"):
        with pytest.raises(OutputError, match=rf"{name}' is no folder.*--temporary"):
            TemporaryFolder(tmp_path / name)
        with pytest.raises(OutputError, match=rf"{name}' is no folder"):
            remove_left_folders(tmp_path / name)
