"""A Spark cluster for the tests that need one."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator

import pytest
from tests.scale.cluster import Cluster, lacking

LACKING = lacking()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Start a cluster; only one at a time, however many processes run tests."""
    if LACKING and not os.environ.get("CI"):
        pytest.skip(f"{LACKING}: nothing runs on Spark")
    assert not LACKING, f"Continuous integration runs a Spark cluster, but {LACKING}."
    with (tmp_path_factory.getbasetemp().parent / "cluster.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        cluster = Cluster(tmp_path_factory.mktemp("cluster"))
        try:
            cluster.add_worker()
            cluster.add_worker()
            cluster.open()
            yield cluster
        finally:
            cluster.close()
