from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests import postgres


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """A PostgreSQL server of our own."""
    try:
        with postgres.started() as uri:
            yield uri
    except postgres.NoServerError as reason:
        pytest.skip(str(reason))
