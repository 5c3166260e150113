"""Roles on the real tables that are kept beside the repository, by a key of acceptable roles."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import sfumato as sf

#: The column that only R prints, and how the key calls weights.
ROW_NAMES, WEIGHTS = "rownames", {"weights": "weight"}


def test_roles_of_real_tables_are_right_and_nobody_is_let_out(tables_dir: Path) -> None:
    key: dict[str, dict[str, list[str]]] = defaultdict(dict)
    with (tables_dir / "roles.csv").open(encoding="utf-8") as file:
        for line in csv.DictReader(file):
            if line["column"] != ROW_NAMES:
                key[line["table"]][line["column"]] = [WEIGHTS.get(one, one) for one in line["roles"].split("|")]
    wrong, let_out, judged = list[str](), list[str](), 0
    for table, columns in key.items():
        roles = sf.profile(tables_dir / table).roles
        judged += len(columns)
        for name, accepted in columns.items():
            if roles[name] not in accepted:
                wrong.append(f"{table}: {name} is no {roles[name]}")
                if set(accepted) <= {"identifier", "person"} and roles[name] not in {"identifier", "person"}:
                    let_out.append(wrong[-1])
    assert not let_out
    assert len(wrong) <= 0.05 * judged, wrong
