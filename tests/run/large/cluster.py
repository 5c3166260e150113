"""A real Spark cluster for tests: a master and workers of one core each, as processes on the loopback interface.

Java is started directly, without the scripts of Spark, each of which starts a Java of its own to find out how. All
processes die with the cluster, and the cluster with the fixture that made it, whatever the tests do.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from sfumato.run.large.spark.session import JAVA, java_version, without_pandas_warning

SOURCES = Path(__file__).parents[3] / "src"

#: Quick to start, small: nothing here runs for long.
LEAN = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")


def lacking() -> str:
    """Return what a cluster lacks on this machine; empty if it can be started."""
    if find_spec("pyspark") is None:
        return "PySpark is not installed"
    version = java_version()
    return "" if version is not None and version >= JAVA else f"there is no Java {JAVA} or newer"


def require_spark() -> None:
    """Skip a test where Spark cannot be started, but never in continuous integration."""
    reason = lacking()
    if reason and not os.environ.get("CI"):
        pytest.skip(f"{reason}: nothing runs on Spark")
    assert not reason, f"Continuous integration runs Spark, but {reason}."


class Cluster:
    """A master, workers of one core each, and a session on them.

    Parameters
    ----------
    folder
        Where all of it keeps its files.
    memory
        What an executor may take, besides its Python.
    lean
        Whether it starts quickly rather than runs quickly.
    apart
        Whether each worker has a core of this machine to itself and takes no other; else a worker of one core runs one
        task, but its Java and its Python share all cores there are.
    """

    def __init__(self, folder: Path, memory: str = "512m", lean: bool = True, apart: bool = False) -> None:
        import pyspark  # noqa: PLC0415 - a plain machine has none

        self.folder = folder
        self.jars = str(Path(pyspark.__file__).parent / "jars" / "*")
        self.address = f"spark://127.0.0.1:{free_port()}"
        self.workers: list[subprocess.Popen[bytes]] = []
        host, port = self.address.removeprefix("spark://").split(":")
        self.master = self.started("master.Master", "--host", host, "--port", port, "--webui-port", "0")
        self.session: Any = None
        self.memory = memory
        self.lean = lean
        self.apart = apart
        self.options = " ".join(LEAN if lean else LEAN[:1])

    def started(self, name: str, *arguments: str) -> subprocess.Popen[bytes]:
        environment = os.environ | {
            "SPARK_HOME": str(Path(self.jars).parents[1]),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_LOCAL_DIRS": str(self.folder),
            "SPARK_SCALA_VERSION": "2.13",
            "PYTHONPATH": os.pathsep.join([str(SOURCES), str(SOURCES.parent), os.environ.get("PYTHONPATH", "")]),
            "NUMBA_NUM_THREADS": "1",
        }
        options = ["-Xmx256m", "-Dspark.ui.enabled=false", "-Dspark.master.rest.enabled=false"]
        command = ["java", *LEAN, *options, "-cp", self.jars, f"org.apache.spark.deploy.{name}", *arguments]
        log = self.folder / f"{name}-{len(self.workers)}.log"
        with log.open("wb") as told:
            return subprocess.Popen(command, stdout=told, stderr=told, env=environment, start_new_session=True)

    def add_worker(self) -> None:
        work = str(self.folder / f"work-{len(self.workers)}")
        resources = ["--cores", "1", "--memory", "8g", "--work-dir", work, "--webui-port", "0"]
        with on_core(len(self.workers)) if self.apart else nullcontext():
            self.workers.append(self.started("worker.Worker", "--host", "127.0.0.1", *resources, self.address))

    def kill_worker(self) -> None:
        """Kill the oldest worker that lives, and all that it runs, without a warning."""
        stop(next(worker for worker in self.workers if worker.poll() is None), signal.SIGKILL)

    def open(self) -> Any:
        """Start a session and wait until there are executors."""
        from pyspark.sql import SparkSession  # noqa: PLC0415 - a plain machine has none

        os.environ["PYSPARK_PYTHON"] = sys.executable
        os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
        settings = {
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.memory": "512m",
            "spark.executor.memory": self.memory,
            "spark.driver.extraJavaOptions": self.options,
            "spark.executor.extraJavaOptions": self.options,
            "spark.sql.shuffle.partitions": "2" if self.lean else "64",
            # To plan again and to compile pays where tables are large.
            "spark.sql.adaptive.enabled": str(not self.lean).lower(),
            "spark.sql.codegen.wholeStage": str(not self.lean).lower(),
            "spark.sql.warehouse.dir": str(self.folder / "warehouse"),
            "spark.local.dir": str(self.folder),
            "spark.log.level": "ERROR",
        }
        builder = SparkSession.builder.master(self.address).appName("tests")
        for name, value in settings.items():
            builder = builder.config(name, value)
        with without_pandas_warning():
            self.session = builder.getOrCreate()
        return self.session

    def close(self) -> None:
        with suppress(Exception):
            if self.session is not None:
                self.session.stop()
        for process in (*self.workers, self.master):
            stop(process, signal.SIGTERM)


@contextmanager
def on_core(number: int) -> Iterator[None]:
    """Let processes that are started meanwhile, and all that they start, run on one core only."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {sorted(cores)[number % len(cores)]})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def stop(process: subprocess.Popen[bytes], by: signal.Signals) -> None:
    """End a process with all that it started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, by)
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
