"""What ``make dist`` makes can be installed into an empty environment, and the README runs there."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.test_docs import blocks_of, commands_of

#: What the README needs, and a small one to see that extras arrive; all of them would take minutes.
EXTRAS = "pandas,excel"


@pytest.fixture(scope="module")
def distribution(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel, made from the source distribution as whoever has nothing else would make it."""
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "hatchling", "build", "-d"]
    subprocess.run([*build, folder, "-t", "sdist"], cwd=repository, check=True, capture_output=True)
    [source] = folder.glob("*.tar.gz")
    with tarfile.open(source) as archive:
        archive.extractall(folder, filter="data")
    unpacked = folder / source.name.removesuffix(".tar.gz")
    subprocess.run([*build, folder, "-t", "wheel"], cwd=unpacked, check=True, capture_output=True)
    return folder


def test_the_wheel_holds_the_package_and_nothing_else(distribution: Path, repository: Path) -> None:
    [wheel] = distribution.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names} == {"sfumato", wheel.name.split("-py3")[0] + ".dist-info"}
    assert "sfumato/py.typed" in names
    modules = {str(path.relative_to(repository / "src")) for path in (repository / "src").rglob("*.py")}
    assert {name for name in names if name.endswith(".py")} == modules
    assert not [name for name in names if "__pycache__" in name]


@pytest.fixture(scope="module")
def environment(distribution: Path, repository: Path) -> Iterator[Path]:
    """An environment with the wheel and what it needs, and nothing else."""
    folder = distribution / "env"
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    [wheel] = distribution.glob("*.whl")
    install(folder, str(wheel))
    bring_kernels(folder, repository)
    yield folder
    shutil.rmtree(folder)


def program(environment: Path, name: str) -> Path:
    return environment / ("Scripts" if os.name == "nt" else "bin") / name


def install(environment: Path, what: str) -> None:
    """Install a wheel as its user would; by uv where the tests have it, in a fraction of the time."""
    python = program(environment, "python")
    if importlib.util.find_spec("uv") is not None:
        command = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", python, what]
    else:
        command = [python, "-m", "pip", "install", "--quiet", "--no-compile", "--disable-pip-version-check", what]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode and not os.environ.get("CI"):
        pytest.skip("packages cannot be fetched here, so nothing can be installed")
    assert done.returncode == 0, done.stderr[-2_000:]


def bring_kernels(environment: Path, repository: Path) -> None:
    """Copy what was compiled here for the same sources, which spares a minute; without it everything works too."""
    [package] = environment.glob("**/site-packages/sfumato")
    source = repository / "src" / "sfumato"
    for path in [*source.rglob("*.py"), *source.rglob("*.nb[ic]")]:
        target = package / path.relative_to(source)
        if path.suffix == ".py":
            shutil.copystat(path, target)  # compiled code belongs to a source of this moment
        else:
            target.parent.mkdir(exist_ok=True)
            shutil.copy2(path, target)


def run(environment: Path, folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a program of the environment, which sees nothing of this one."""
    hidden = ("PYTHONPATH", "VIRTUAL_ENV", "CI")
    plain = {name: value for name, value in os.environ.items() if name not in hidden}
    name, *rest = command
    return subprocess.run(
        [program(environment, name), *rest], cwd=folder, env=plain, capture_output=True, text=True, check=False
    )


def test_it_works_alone_and_the_readme_runs_with_extras(environment: Path, repository: Path, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("age,city\n" + "30,Bonn\n41,Köln\n" * 3, encoding="utf-8")
    asked = ("anonymize", "people.csv", "-o", "out.csv", "--qi", "age,city", "-k", "2", "--method", "mondrian")
    done = run(environment, tmp_path, "sfumato", *asked)
    assert done.returncode == 0, done.stderr
    for name, extra in (("a.xlsx", "excel"), ("a.sav", "statistics")):
        (tmp_path / name).write_text("x")
        refused = run(environment, tmp_path, "sfumato", "check", name, "--qi", "age")
        assert f"pip install 'sfumato[{extra}]'" in " ".join(refused.stderr.split())
    [wheel] = environment.parent.glob("*.whl")
    install(environment, f"{wheel}[{EXTRAS}]")
    blocks = [block for block in blocks_of((repository / "README.md").read_text(encoding="utf-8")) if block.runs]
    code = "\n".join(block.text for block in blocks if block.language == "python")
    (tmp_path / "readme.py").write_text(code, encoding="utf-8")
    done = run(environment, tmp_path, "python", "readme.py")
    assert done.returncode == 0, done.stderr
    commands = [words for block in blocks if block.language == "console" for words in commands_of(block)]
    assert commands
    for words in commands:
        done = run(environment, tmp_path, "sfumato", *words)
        assert done.returncode == 0, f"{shlex.join(words)}\n{done.stderr}"
    assert "is not a workbook" in run(environment, tmp_path, "sfumato", "check", "a.xlsx", "--qi", "age").stderr


def test_every_extra_that_an_error_names_exists(repository: Path) -> None:
    project = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    known = project["optional-dependencies"]
    named = set()
    for path in (repository / "src").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        named |= set(re.findall(r'MissingExtraError\([^()]*"(\w+)"\)', text))
        named |= set(re.findall(r'library\("\w+", [^()]*"(\w+)"\)', text))
    assert named <= {*known, "pandas", "polars"}
    assert {"excel", "statistics", "sklearn"} <= named
