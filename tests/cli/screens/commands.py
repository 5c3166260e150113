"""The commands that are recorded, and the program that runs them one after the other on a terminal."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import duckdb
from tests.cli.command import write_patients

from sfumato.cli.app import app

MARK = "@@@ "

ROLES = "--qi age,zip --hierarchy zip=prefix --sensitive disease --identifiers name"
PLAIN_ROLES = "--qi age,zip --sensitive disease"

#: Names and values whose characters take two cells, one or none, and a word that is longer than a column.
WIDE = "姓名,年龄,الجنس,Aufenthaltsbestimmungsrechtsinhaber,病名"

#: What is typed, by the name of its recording. Every command of Sfumato is here at least once.
TYPED = {
    "help": "--help",
    "profile": "profile patients.csv",
    "profile-wide": "profile wide.csv",
    "init": "init patients.csv -o policy.toml",
    "hierarchy": "hierarchy patients.csv zip=prefix",
    "demo": "demo --help",
    "anonymize": f"anonymize patients.csv -o release.csv {ROLES} -k 5 -l 2 --seed 1 --save-policy kept.toml",
    "anonymize-impossible": f"anonymize patients.csv -o none.csv {ROLES} -k 500",
    "anonymize-no-file": f"anonymize nowhere.csv -o none.csv {ROLES} -k 5",
    "anonymize-exists": f"anonymize patients.csv -o release.csv {ROLES} -k 5",
    "anonymize-full-domain": f"anonymize patients.csv -o levels.csv {ROLES} -k 5 --method lattice --seed 1 "
    "--manifest manifest.json --save-policy levels.toml --certificate certificate.json",
    "recode": "recode patients.csv -o recoded.csv --policy levels.toml --like manifest.json --seed 1",
    "anatomize": "anatomize patients.csv -o people.csv --values values.csv --qi age,zip --sensitive disease "
    "--identifiers name -l 2 --seed 1",
    "sql": "sql small.duckdb --table people --qi sex --rest drop -k 2",
    "clean": "clean --help",
    "check": f"check release.csv {PLAIN_ROLES} -k 5 -l 2",
    "check-broken": f"check release.csv {PLAIN_ROLES} -k 50 -l 2",
    "risk": f"risk patients.csv {PLAIN_ROLES} --drivers",
    "attack": f"attack patients.csv release.csv {PLAIN_ROLES} --hierarchy zip=prefix -k 5 -l 2 --seed 1",
    "utility": f"utility patients.csv release.csv {PLAIN_ROLES} --hierarchy zip=prefix --seed 1",
    "explain": f"explain patients.csv {ROLES} -k 5",
    "explain-mondrian": f"explain patients.csv {ROLES} -k 5 --method mondrian --what-if k=20",
    "compare": f"compare patients.csv {ROLES} -k 2,10 --method mondrian,hilbert --seed 1",
    "frontier": f"frontier patients.csv {ROLES} --help",
    "studio": "studio --help",
    "methods": "methods",
    "methods-mondrian": "methods mondrian",
    "presets": "presets",
    "report": "report kept.toml patients.csv release.csv -o report.html",
    "sign": "sign certificate.json --key nowhere.key -o signed.json",
}


def prepare(folder: Path) -> None:
    """Write the tables that the commands read."""
    write_patients(folder / "patients.csv")
    with duckdb.connect(str(folder / "small.duckdb")) as database:
        database.execute("CREATE TABLE people AS SELECT unnest(['f', 'f', 'm', 'm', 'm']) AS sex")
    lines = [
        f"人{at},{18 + at % 60},{'ذكر' if at % 2 else 'أنثى'},{'ja' if at % 3 else 'nein'},流感" for at in range(90)
    ]
    (folder / "wide.csv").write_text("\n".join([WIDE, *lines]) + "\n", encoding="utf-8")


def main() -> None:
    """Run the named commands in the current folder, each after a line with its name."""
    prepare(Path())
    for name in sys.argv[1:]:
        typed = TYPED.get(name) or f"{name.removesuffix('.h')} -h"
        print(f"{MARK}{name}", flush=True)
        sys.argv = ["sfumato", *shlex.split(typed)]
        try:
            app(prog_name="sfumato")
        except SystemExit as stop:
            print(f"[exit code {stop.code or 0}]", flush=True)


if __name__ == "__main__":
    main()
