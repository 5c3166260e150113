"""A PostgreSQL server of our own, from the Debian packages or from the path."""

from __future__ import annotations

import getpass
import importlib.util
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class NoServerError(Exception):
    """Says why there is no server here."""


@contextmanager
def started() -> Iterator[str]:
    """Start a server in a folder of its own, and stop it; yield where it is."""
    program = _program()
    # Directly below the system's folder: the server's user must be able to reach it.
    folder = Path(tempfile.mkdtemp(prefix="postgres-"))
    try:
        yield from _served(program, folder)
    finally:
        shutil.rmtree(folder)


def _program() -> Path:
    if importlib.util.find_spec("adbc_driver_postgresql") is None:
        raise NoServerError("adbc-driver-postgresql is not installed")
    programs = [str(path) for path in Path("/usr/lib/postgresql").glob("*/bin/pg_ctl")]
    found = programs[-1] if programs else shutil.which("pg_ctl")
    if found is None:
        raise NoServerError("PostgreSQL is not installed")
    return Path(found)


def _served(program: Path, folder: Path) -> Iterator[str]:
    prefix: list[str] = []
    if os.geteuid() == 0:
        # The server refuses to run as root; the package brings a user for it.
        prefix = ["runuser", "-u", "postgres", "--"]
        shutil.chown(folder, "postgres")
    user = "postgres" if prefix else getpass.getuser()
    data = str(folder / "data")
    make = [*prefix, str(program.parent / "initdb"), "-D", data, "-U", user, "-A", "trust"]
    made = subprocess.run(make, capture_output=True, text=True, check=False)
    if made.returncode:
        raise NoServerError(f"no PostgreSQL cluster can be made here: {made.stderr[-200:]}")
    control = [*prefix, str(program), "-D", data]
    options = f"-k {folder} -c listen_addresses='' -c fsync=off"
    start = [*control, "-l", str(folder / "log"), "-w", "-o", options, "start"]
    subprocess.run(start, check=True, stdout=subprocess.DEVNULL)
    try:
        yield f"postgresql:///postgres?host={folder}&user={user}"
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], check=True, stdout=subprocess.DEVNULL)
