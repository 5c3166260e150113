"""The Adult table: real people of the census of 1994, the field's common benchmark."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pyarrow as pa

from sfumato.common import parameters
from sfumato.datasets.adult_hierarchies import built_in
from sfumato.datasets.dataset import Dataset
from sfumato.datasets.download import cache_folder, fetch
from sfumato.errors import SourceError, listed, shortened
from sfumato.hierarchies import Hierarchy, Taxonomy

UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases/adult"
SHA256 = {
    "adult.data": "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
    "adult.test": "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
}

# The columns that the literature uses, and where the original has them.
COLUMNS = {
    "sex": 9,
    "age": 0,
    "race": 8,
    "marital-status": 5,
    "education": 3,
    "native-country": 13,
    "workclass": 1,
    "occupation": 6,
    "salary-class": 14,
}
_ORIGINAL_WIDTH = 15

# How many rows are left without missing values -> our file, or the original files.
_CLEAN_FILE = {30_162: "adult.csv", 45_222: "adult-45222.csv"}
_ORIGINAL_FILES = {30_162: ("adult.data",), 45_222: ("adult.data", "adult.test")}

_HINT = (
    "Without a network, put adult.data (for 45,222 rows adult.test too) into a folder and name it: "
    "sfumato.datasets.adult('folder')."
)

Rows = list[tuple[str, ...]]


def adult(path: str | Path | None = None, rows: int = 30_162) -> Dataset:
    """Load the Adult table without rows with missing values: eight quasi-identifiers and the occupation.

    Parameters
    ----------
    path
        A folder with ``adult.csv`` or ``adult-45222.csv`` (column names in the first line, ``;`` between
        cells), or with the original ``adult.data`` and ``adult.test``. Hierarchy files in it, named
        ``adult_hierarchy_<column>.csv``, take the place of the built-in hierarchies; only age stays a
        number, with intervals of 5, 10 and 20 years. Without a folder the original is downloaded once,
        checked, and kept in the user's cache folder.
    rows
        30,162 for the training part alone, as most papers use it, or 45,222 for both parts.
    """
    parameters.choice("adult", "rows", rows, tuple(_CLEAN_FILE))
    if path is None:
        return _dataset(_cleaned(_downloaded(rows)), built_in())
    folder = Path(path)
    return _dataset(_from_folder(folder, rows), _hierarchies(folder))


def _downloaded(rows: int, base_url: str = UCI, checksums: dict[str, str] = SHA256) -> list[Path]:
    folder = cache_folder() / "adult"
    return [fetch(f"{base_url}/{name}", checksums[name], folder, _HINT) for name in _ORIGINAL_FILES[rows]]


def _from_folder(folder: Path, rows: int) -> Rows:
    clean = folder / _CLEAN_FILE[rows]
    if clean.is_file():
        return _read_clean(clean)
    originals = [folder / name for name in _ORIGINAL_FILES[rows]]
    if all(path.is_file() for path in originals):
        return _cleaned(originals)
    wanted = f"{clean.name}, nor {' and '.join(path.name for path in originals)}"
    raise SourceError(f"The folder {folder} holds neither {wanted}. Name a folder that does.")


def _hierarchies(folder: Path) -> dict[str, Hierarchy]:
    hierarchies = built_in()
    for column in COLUMNS:
        file = folder / f"adult_hierarchy_{column}.csv"
        # Ages are numbers: in a tree of intervals, 19 and 20 would have nothing in common.
        if column != "age" and file.is_file():
            hierarchies[column] = Taxonomy.read(file)
    return hierarchies


def _read_clean(path: Path) -> Rows:
    header, *lines = _cells(path, ";")
    missing = [column for column in COLUMNS if column not in header]
    if missing:
        raise SourceError(f"The first line of {path} must name the columns. It lacks {listed(missing)}.")
    places = [header.index(column) for column in COLUMNS]
    return _picked(path, lines, places, width=len(header))


def _cleaned(paths: list[Path]) -> Rows:
    """Read original files without comments, rows with missing values, and the test part's full stops."""
    rows: Rows = []
    for path in paths:
        lines = [line for line in _cells(path, ",") if not line[0].startswith("|")]
        answers = _picked(path, lines, list(COLUMNS.values()), _ORIGINAL_WIDTH)
        rows += [(*row[:-1], row[-1].rstrip(".")) for row in answers if "?" not in row]
    if not rows:
        raise SourceError(f"The file {paths[0]} holds no complete row. {_HINT}")
    return rows


def _cells(path: Path, delimiter: str) -> list[list[str]]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            lines = [line for line in csv.reader(file, delimiter=delimiter, skipinitialspace=True) if line]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise SourceError(f"The file {path} cannot be read: {error}.") from None
    if len(lines) < 2:
        raise SourceError(f"The file {path} holds no rows. Name a folder with the Adult table.")
    return lines


def _picked(path: Path, lines: list[list[str]], places: list[int], width: int) -> Rows:
    odd = next((line for line in lines if len(line) != width), None)
    if odd is not None:
        shown = shortened(",".join(odd))
        raise SourceError(f"A row of {path} has {len(odd)} cells instead of {width}: {shown}. Repair the file.")
    return [tuple(line[place].strip() for place in places) for line in lines]


def _dataset(rows: Rows, hierarchies: dict[str, Hierarchy]) -> Dataset:
    columns = dict(zip(COLUMNS, zip(*rows, strict=True), strict=True))
    arrays = {name: pa.array(values, pa.string()).dictionary_encode() for name, values in columns.items()}
    arrays["age"] = pa.array(_ages(columns["age"]))
    return Dataset.of("adult", pa.table(arrays), hierarchies, sensitive=("occupation",))


def _ages(values: tuple[str, ...]) -> np.ndarray[tuple[int], np.dtype[np.int16]]:
    try:
        return np.array([int(value) for value in values], dtype=np.int16)
    except (ValueError, OverflowError) as error:
        raise SourceError(f"The ages of the Adult table are not all numbers: {error}.") from None
