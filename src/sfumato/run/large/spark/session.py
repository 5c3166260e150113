"""Spark sessions: checks that Java is there, that the cluster answers and that its workers have what they need."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import RLock
from typing import Any, TypeGuard
from weakref import WeakSet

import pyarrow as pa

from sfumato.errors import EngineError, MissingExtraError, invalid_parameter
from sfumato.run.large.engine import Engine
from sfumato.run.request import EngineOption

#: The lowest version of Java that Spark 4 runs on.
JAVA = 17

#: Packages that an executor's Python needs besides PySpark.
NEEDED = ("pyarrow", "numpy", "numba", "sfumato")

INSTALL_JAVA = (
    f"Install a Java of version {JAVA} or newer (Debian and Ubuntu: apt install openjdk-{JAVA}-jre-headless; macOS: "
    f"brew install openjdk@{JAVA}; elsewhere: https://adoptium.net) and, if it is not on PATH, set JAVA_HOME."
)

#: Sessions whose executors have been checked.
_CHECKED: WeakSet[Any] = WeakSet()

#: Python has one list of warning filters for all threads.
_FILTERS = RLock()

_ADDRESS = re.compile(r"(spark|k8s)://.+|spark|yarn|local(\[[^\]]+\])?")
_NO_MODULE = re.compile(r"No module named '(\w+)")
_VERSION = re.compile(r'version "(?:1\.)?(\d+)')


@dataclass(frozen=True)
class Spark(EngineOption):
    """Apache Spark as the engine of `anonymize`: where its master is.

    Parameters
    ----------
    address
        The master as Spark names it: ``"spark://host:7077"``, ``"yarn"``, ``"k8s://…"``, or ``"local[4]"`` for four
        cores of this machine; ``"spark"`` is the one that Spark's own configuration names, where all else (memory,
        executors, storage) is set, too.

    Examples
    --------
    >>> Spark("local[2]")
    Spark(address='local[2]')
    """

    address: str = "spark"
    name = "spark"

    def start(self, memory: int, temporary: str | os.PathLike[str] | None) -> Engine:
        """Start a session; memory and temporary folders are those of Spark's own configuration."""
        return on_session(start_session(self))

    def __post_init__(self) -> None:
        if not is_address(self.address):
            expected = "a master such as 'spark://host:7077', 'yarn' or 'local[4]'"
            raise invalid_parameter("Spark", "address", expected, self.address)


@dataclass(frozen=True)
class OfFrame(EngineOption):
    """The session of a Spark frame."""

    frame: Any
    name = "spark"

    def start(self, memory: int, temporary: str | os.PathLike[str] | None) -> Engine:
        """Use the session of the frame."""
        return on_session(self.frame.sparkSession)


def on_session(session: Any) -> Engine:
    """Check the executors of a session, and make an engine on it."""
    from sfumato.run.large.spark.engine import InSpark  # noqa: PLC0415 - needed only on Spark

    check_workers(session)
    return InSpark(session)


def is_address(text: object) -> TypeGuard[str]:
    """Whether a text names the master of a Spark cluster."""
    return isinstance(text, str) and _ADDRESS.fullmatch(text) is not None


def require_spark() -> None:
    """Make sure that PySpark and a Java are here, or say what to install."""
    if find_spec("pyspark") is None:
        raise MissingExtraError("Apache Spark", "spark")
    version = java_version()
    if version is None:
        raise EngineError(f"Apache Spark needs Java, and there is none here. {INSTALL_JAVA}")
    if version < JAVA:
        raise EngineError(f"Apache Spark needs Java {JAVA} or newer; the one here is {version}. {INSTALL_JAVA}")


def java_version() -> int | None:
    """The major version of the Java that Spark would start; None if there is none."""
    home = os.environ.get("JAVA_HOME")
    program = str(Path(home, "bin", "java")) if home else shutil.which("java")
    if program is None:
        return None
    try:
        done = subprocess.run([program, "-version"], capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = _VERSION.search(done.stderr + done.stdout)
    return int(found[1]) if found and not done.returncode else None


def start_session(spark: Spark) -> Any:
    """Find the session of this program, or start one on a cluster."""
    require_spark()
    # Executors run the Python that PYSPARK_PYTHON names; on this machine it defaults to the one running now.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable if spark.address.startswith("local") else "python3")
    builder = import_module("pyspark.sql").SparkSession.builder.appName("sfumato")
    builder = builder if spark.address == "spark" else builder.master(spark.address)
    try:
        with without_pandas_warning():
            return builder.config("spark.ui.showConsoleProgress", "false").getOrCreate()
    except Exception as error:
        raise EngineError(f"Spark at '{spark.address}' does not start a session: {first_line(error)}") from None


@contextmanager
def without_pandas_warning() -> Iterator[None]:
    """Silence PySpark's warning about untested versions of pandas, which nothing here uses."""
    with _FILTERS, warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas", category=FutureWarning)
        yield


def check_workers(session: Any) -> None:
    """Check once per session that the executors' Python has the needed packages, or say what is missing."""
    if session in _CHECKED:
        return
    probe = session.range(0, 2, 1, 2)
    try:
        with without_pandas_warning():
            asked = probe.mapInArrow(lacking_here, "name string")
        lacking = sorted({row.name for row in asked.collect()})
    except Exception as error:
        # A Python without Arrow or Sfumato fails before it can report what else it lacks.
        lacking = sorted(set(_NO_MODULE.findall(str(error))))
        if not lacking:
            raise EngineError(f"The executors of Spark cannot run Python: {first_line(error)}") from None
    if lacking:
        raise EngineError(
            f"The Python of the Spark executors lacks {', '.join(lacking)}. Install what is needed there (pip install "
            "'sfumato[spark]' on every worker, or an archive by spark.archives), or let PYSPARK_PYTHON name a Python "
            "that has it."
        )
    _CHECKED.add(session)


def lacking_here(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """List the needed packages that the running Python lacks."""
    for _ in batches:
        pass
    lacking = [name for name in NEEDED if find_spec(name) is None]
    yield pa.RecordBatch.from_arrays([pa.array(lacking, pa.string())], ["name"])


def first_line(error: Exception) -> str:
    """The message of a Spark error without the Java stack trace."""
    return str(error).strip().partition("\n")[0]
