"""What all tests share: how hypothesis searches, and where the real tables are."""

from __future__ import annotations

import hashlib
import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings
from tests.examples import examples

from sfumato.common import randomness

# No deadline: the first call of a kernel compiles it, which says nothing about the kernel.
settings.register_profile("local", deadline=None, max_examples=examples(100))
# The same examples every time: a change is judged by what it changed.
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True, max_examples=examples(100))
settings.load_profile("ci" if os.environ.get("CI") else "local")


# Programs that tests start inherit which signals are ignored, as `nohup make test` ignores a hangup, but not
# which are handled. So whatever is ignored here is handled by doing nothing.
for number in (signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, lambda *_: None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let one worker begin with what needs a cluster: others take tests from its end, so none starts a second one."""
    items.sort(key=lambda item: item.get_closest_marker("spark") is None)


draw_from_system = randomness.fresh_seed


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let a release without a seed draw the same secret whenever a test runs: a failure must fail again."""
    drawn = int.from_bytes(hashlib.sha256(item.path.name.encode()).digest()[: randomness.BITS // 8], "big")
    randomness.fresh_seed = lambda: drawn


@pytest.fixture
def fresh_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let releases draw their secrets as they do for users."""
    monkeypatch.setattr(randomness, "fresh_seed", draw_from_system)


@pytest.fixture(scope="session")
def repository(pytestconfig: pytest.Config) -> Path:
    """The root of the repository."""
    return pytestconfig.rootpath


@pytest.fixture(scope="session")
def adult_dir(repository: Path) -> Path:
    """The folder with the Adult table and its hierarchies, kept beside the repository."""
    folder = repository.parent / "shared" / "data" / "adult"
    if not (folder / "adult.csv").is_file():
        pytest.skip("the Adult table is not at ../shared/data/adult")
    return folder


@pytest.fixture(scope="session")
def tables_dir(repository: Path) -> Path:
    """The folder with real tables and the roles of their columns, kept beside the repository."""
    folder = repository.parent / "shared" / "data" / "tables"
    if not (folder / "roles.csv").is_file():
        pytest.skip("the real tables are not at ../shared/data/tables")
    return folder
