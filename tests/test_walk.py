"""How many files a request walks through, so that nobody has to follow it through a maze.

A file is entered where one of its functions is called by the request itself. What runs while a module is imported does
not count, so each request is made once before it is traced; nor does work that threads share, whichever thread does it.
Rooms are the folders of the package, without ``common``, which everything uses.
"""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import pyarrow as pa
import pyarrow.csv
import pytest

import sfumato as sf
from sfumato.cli import main
from sfumato.common.threads import Job

ROOT = Path(sf.__file__).parent
MOST_FILES, MOST_ROOMS, MOST_FILES_OF_RISK = 65, 11, 25


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """The table of the README, as a CSV file."""
    rng, n = random.Random(1), 5_000
    diseases = ["flu", "asthma", "diabetes", "gastritis", "hepatitis", "migraine"]
    columns = {
        "name": [f"Person {i}" for i in range(n)],
        "age": [int(rng.triangular(0, 99, 45)) for _ in range(n)],
        "sex": rng.choices(["female", "male"], k=n),
        "zip": [f"{rng.choice((537, 538, 541))}{int(rng.triangular(0, 39, 5)):02d}" for _ in range(n)],
        "disease": rng.choices(diseases, [6, 5, 5, 4, 2, 4], k=n),
    }
    path = tmp_path / "people.csv"
    pa.csv.write_csv(pa.table(columns), path)
    return path


def files_entered(walk: Callable[[], object]) -> list[str]:
    """The files under ``src/sfumato`` of which ``walk`` calls a function, in order of their names."""
    walk()
    entered: set[str] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            entered.add(frame.f_code.co_filename)

    def unseen(job: Job[object], run: Callable[[Job[object]], None] = Job.run) -> None:
        seen_by = sys.getprofile()
        sys.setprofile(None)
        run(job)
        sys.setprofile(seen_by)

    before = sys.getprofile()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Job, "run", unseen)
        sys.setprofile(note)
        try:
            walk()
        finally:
            sys.setprofile(before)
    inside = (Path(name) for name in entered)
    return sorted(path.relative_to(ROOT).as_posix() for path in inside if path.is_relative_to(ROOT))


def rooms(files: list[str]) -> list[str]:
    return sorted({name.split("/")[0] for name in files if "/" in name} - {"common"})


def test_the_request_of_the_readme_walks_through_few_files(people: Path) -> None:
    outputs = numbered(people.parent)

    def walk() -> None:
        release = sf.anonymize(
            people,
            quasi_identifiers={"age": sf.Numeric(), "sex": sf.Categorical(), "zip": sf.Prefix()},
            sensitive="disease",
            identifiers=["name"],
            k=10,
            l=3,
            seed=1,
        )
        release.write(next(outputs))

    files = files_entered(walk)
    assert len(files) <= MOST_FILES, "\n".join([f"{len(files)} files are entered:", *files])
    assert len(rooms(files)) <= MOST_ROOMS, rooms(files)
    assert not [name for name in files if name.startswith("run/large/")]


def numbered(folder: Path) -> Iterator[Path]:
    """New places to write to: nothing is written over."""
    return (folder / f"release-{number}.csv" for number in range(1_000))


def test_sfumato_risk_walks_through_few_files(
    people: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["sfumato", "risk", str(people), "--qi", "age", "--qi", "zip", "--sensitive", "disease"]
    monkeypatch.setattr(sys, "argv", words)

    def walk() -> None:
        with pytest.raises(SystemExit, match="0"):
            main()

    files = files_entered(walk)
    assert "marketer" in capsys.readouterr().out
    assert len(files) <= MOST_FILES_OF_RISK, "\n".join([f"{len(files)} files are entered:", *files])
    assert not [name for name in files if name.startswith(("methods/", "loss/", "run/"))]


def test_a_request_in_memory_imports_nothing_for_tables_past_memory(people: Path) -> None:
    program = (
        "import sys, sfumato as sf\n"
        f"release = sf.anonymize({str(people)!r}, quasi_identifiers=['age'], rest='drop', k=10)\n"
        f"release.write({str(people.with_name('alone.csv'))!r})\n"
        "sf.check(release.table, quasi_identifiers=['age'], k=10)\n"
        "print([name for name in sys.modules if name.startswith('sfumato.run.large')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]", done.stdout
