"""Files that nobody may read before their time, and what killed runs leave behind."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from sfumato.errors import OutputError
from sfumato.io import check_writable, write_table, write_text
from sfumato.io.atomic import atomic_path

TABLE = pa.table({"a": [1, 2]})

#: Begins to write a file and is killed, or waits until it is.
WRITER = """
import os, sys, time
from sfumato.io.atomic import atomic_path
with atomic_path(sys.argv[1]) as temporary:
    temporary.write_text("half")
    print(temporary.name, flush=True)
    if sys.argv[2] == "dies":
        os.kill(os.getpid(), 9)
    time.sleep(120)
"""


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def open_to_all():
    """A user whose new files everybody may read and write."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.parametrize("existing", [None, 0o600, 0o640])
@pytest.mark.usefixtures("open_to_all")
def test_what_is_not_finished_is_for_its_owner_alone(tmp_path, existing):
    path = tmp_path / "release.csv"
    if existing is not None:
        path.write_text("as it was")
        path.chmod(existing)
    with atomic_path(path) as temporary:
        assert mode(temporary) == 0o600
        temporary.write_text("new")
        assert mode(temporary) == 0o600
    assert mode(path) == (0o666 if existing is None else existing)
    assert path.read_text() == "new"


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
@pytest.mark.usefixtures("open_to_all")
def test_no_writer_widens_what_it_writes(tmp_path, ending):
    seen = []
    write_table(TABLE, tmp_path / f"a.{ending}", inspect=lambda path, _: seen.append(mode(path)))
    assert seen == [0o600]


@pytest.mark.usefixtures("open_to_all")
def test_what_is_private_stays_so_whatever_was_there(tmp_path):
    path = tmp_path / "manifest.json"
    path.touch()
    write_text(path, "secret", private=True)
    assert mode(path) == 0o600


def test_a_file_of_another_group_does_not_become_readable_for_ours(tmp_path, monkeypatch):
    def forbidden(*_: object) -> None:
        raise PermissionError

    path = tmp_path / "a.csv"
    path.touch()
    path.chmod(0o660)
    if os.getuid():
        pytest.skip("only root can give files to other groups")
    os.chown(path, -1, 12345)
    monkeypatch.setattr(os, "fchown", forbidden)
    write_text(path, "x")
    assert mode(path) == 0o600


def test_what_a_killed_run_left_is_removed_by_the_next(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", WRITER, tmp_path / "a.csv", "dies"], capture_output=True, text=True, check=False
    )
    left = tmp_path / done.stdout.strip()
    assert done.returncode == -9
    assert left.read_text() == "half"
    assert mode(left) == 0o600
    write_table(TABLE, tmp_path / "b.csv")
    assert os.listdir(tmp_path) == ["b.csv"]


def test_what_a_living_run_writes_is_left_alone(tmp_path):
    command = [sys.executable, "-c", WRITER, str(tmp_path / "a.csv"), "lives"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        begun = tmp_path / process.stdout.readline().strip()
        write_table(TABLE, tmp_path / "b.csv")
        check_writable(tmp_path / "c.csv")
        assert begun.read_text() == "half"
        process.kill()
    check_writable(tmp_path / "c.csv")
    assert os.listdir(tmp_path) == ["b.csv"]


def test_what_only_looks_like_ours_is_left_alone(tmp_path):
    (tmp_path / ".sfumato-notes.tmp").touch()
    (tmp_path / ".sfumato-0123456789abcdef.tmp").mkdir()
    (tmp_path / ".sfumato-0123456789abcde0.tmp").symlink_to("/etc/hostname")
    before = sorted(os.listdir(tmp_path))
    write_text(tmp_path / "a", "x")
    assert sorted(os.listdir(tmp_path)) == sorted([*before, "a"])


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/null")])
@pytest.mark.parametrize(
    "act", [lambda path: write_table(TABLE, path), check_writable, lambda path: write_text(path, "x")]
)
def test_a_pipe_or_a_device_is_not_replaced(tmp_path, make, act):
    path = tmp_path / "a.csv"
    make(path)
    with pytest.raises(OutputError, match=r"not a regular file.*Name a file, or - for stdout"):
        act(path)
    assert os.listdir(tmp_path) == ["a.csv"]
    assert not stat.S_ISREG(path.stat().st_mode)
