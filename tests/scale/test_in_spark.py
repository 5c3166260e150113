"""The same release on a Spark cluster: a master and two workers, real processes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.scale.cluster import Cluster

from sfumato.errors import EngineError
from sfumato.scale.sessions import check_workers


def test_workers_that_lack_arrow_are_named(cluster: Cluster, tmp_path: Path) -> None:
    check_workers(cluster.session)
    bare = tmp_path / "python"
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')  # nothing that pip installed
    bare.chmod(0o755)
    context = cluster.session.sparkContext
    usual, context.pythonExec = context.pythonExec, str(bare)
    try:
        with pytest.raises(EngineError, match=r"executors lacks pyarrow\. Install .* PYSPARK_PYTHON"):
            check_workers(cluster.session)
    finally:
        context.pythonExec = usual
