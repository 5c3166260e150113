"""Screen 3: the release with everything that goes with it, and the same work as policy, command line and Python."""

from __future__ import annotations

import secrets
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sfumato.api.certify import certify
from sfumato.api.policy import HEADER, Policy
from sfumato.common.textfiles import parsed_toml
from sfumato.common.toml import dumps
from sfumato.errors import MissingExtraError, ParameterError, shortened
from sfumato.release.release import Release
from sfumato.release.report.facts import About, facts_of_release
from sfumato.release.report.page_one import PageOne, page_one
from sfumato.studio.desk import Bench, plan_of
from sfumato.studio.operations.choose import chosen_release
from sfumato.studio.operations.steps import rows_of
from sfumato.studio.plan import Plan, without_files

#: The most characters of a policy that the panel shows.
MOST_SHOWN = 20_000


def make(bench: Bench) -> Iterator[dict[str, Any]]:
    """Make and verify the release and write it; then its report and certificate, which take longer.

    Yields the same record twice: as soon as the release is verified, and when everything is written. ``files`` says
    what can be downloaded. It lies in one new folder; a release that is not verified gets none of it.
    """
    policy = bench.policy
    release = chosen_release(bench)
    bench.held.kept["release"] = release
    folder = bench.folder / f"made-{secrets.token_hex(8)}"
    folder.mkdir(0o700)
    file = folder / "release.csv"
    bench.tell("writing and reading again", 0.0)
    verification = release.write(file)
    about = _about(bench.plan)
    first = page_one(facts_of_release(release, file, about=about, bound=False))
    made = {"folder": folder.name, "verified": verification.ok, "state": str(first.state), "lacking": ""}
    made |= {"open": [one.key for one in first.reasons], "page": _shown(first), "files": []}
    if not verification.ok:
        yield made | {"complete": True}
        return
    policy.write(folder / "policy.toml")
    yield made | {"files": ["release", "policy"], "complete": False}
    bench.tell("computing the least loss that is possible", 0.0)
    whole = page_one(facts_of_release(release, file, about=about))
    bench.tell("writing the report", 0.0)
    lacking = _report(release, folder, file, about)
    bench.tell("attacking the release", 0.0)
    certify(bench.table, release, file, folder / "certificate.json")
    files = ["release", "policy", "certificate", *(() if lacking else ("report",))]
    yield made | {"page": _shown(whole), "lacking": lacking, "files": files, "complete": True}


def _about(plan: Plan) -> About:
    return About(plan.title or None, plan.recipient or None, plan.purpose or None)


def _report(release: Release, folder: Path, file: Path, about: About) -> str:
    """Write the report; without the libraries that draw it, say which are lacking."""
    try:
        release.report(folder / "report.html", file=file, **asdict(about))
    except MissingExtraError as error:
        return str(error)
    return ""


def _shown(first: PageOne) -> dict[str, Any]:
    """Page one of the report as plain values."""
    return {
        "title": first.about.title or "",
        "recipient": first.about.recipient or "",
        "purpose": first.about.purpose or "",
        "headline": first.headline,
        "figures": [asdict(one) for one in first.figures],
        "safe": first.safe,
        "useful": first.useful,
        "rests_on": [list(one) for one in first.rests_on],
        "one_in": first.one_in,
        "lost": [list(one) for one in first.lost],
        "concerns": [asdict(one) for one in first.concerns],
        "example": {"columns": list(first.example.columns), "rows": [list(row) for row in first.example.rows]},
        "checked": first.checked,
    }


def policy_read(bench: Bench) -> dict[str, Any]:
    """The plan that a policy says for this table: its file, and the files of hierarchies that it names."""
    files = _files(bench.args.get("files"))
    text = next((text for name, text in files.items() if name.endswith(".toml")), next(iter(files.values()), ""))
    data = parsed_toml(text, _not_toml)
    quasi = data.get("quasi_identifiers")
    if isinstance(quasi, dict):
        data["quasi_identifiers"] = {name: _with_rows(bench, how, files) for name, how in quasi.items()}
    return plan_of(Policy.from_dict(without_files(data)), bench.profile, bench.plan).to_dict()


def _files(given: object) -> dict[str, str]:
    """The texts of files by their names, as the page sends them."""
    pairs: Any = given if isinstance(given, list) else [None]
    if not all(isinstance(one, list) and len(one) == 2 and all(isinstance(part, str) for part in one) for one in pairs):
        raise ParameterError("'files' are pairs of a name and a text.")
    return dict(pairs)


def _with_rows(bench: Bench, how: object, files: Mapping[str, str]) -> object:
    """Put the rows of a hierarchy in the place of its file, which the user chose together with the policy."""
    if not isinstance(how, dict) or not isinstance(how.get("file"), str):
        return how
    name = how["file"].replace("\\", "/").rpartition("/")[2]
    if name not in files:
        raise ParameterError(
            f"The policy names the file {shortened(name)}, and the studio reads no files by itself. Choose the policy "
            "again, together with that file."
        )
    return {key: value for key, value in how.items() if key != "file"} | {"rows": rows_of(bench, files[name])}


def _not_toml(reason: str) -> ParameterError:
    return ParameterError(f"The policy is not valid TOML: {reason}.")


def written(bench: Bench) -> dict[str, str]:
    """The work so far as a policy, a command line and Python."""
    policy = bench.policy
    text = HEADER + dumps(policy.to_dict())
    # What was sent to the studio has no other place that its owner knows.
    name = bench.held.shown if bench.held.path.is_relative_to(bench.folder) else str(bench.held.path)
    command = ["sfumato", "anonymize", name, "-o", "release.csv", "--policy", "policy.toml"]
    about = [word for key, said in asdict(_about(bench.plan)).items() if said for word in (f"--{key}", said)]
    return {
        "policy": text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}\n…",
        "command": shlex.join([*command, "--report", "report.html", "--certificate", "certificate.json", *about]),
        "python": "\n".join(_python(policy, bench.plan, name)),
    }


def _python(policy: Policy, plan: Plan, name: str) -> Iterator[str]:
    """The same work in Python, with the policy in its file."""
    about = {key: one for key, one in asdict(_about(plan)).items() if one}
    said = "".join(f", {key}={one!r}" for key, one in about.items())
    yield "import sfumato as sf"
    yield ""
    yield 'policy = sf.Policy.read("policy.toml")'
    yield f"release = policy.run({name!r})"
    yield 'assert release.write("release.csv").ok'
    yield f'release.report("report.html", file="release.csv"{said})'
    yield f'sf.certify({name!r}, release, "release.csv", "certificate.json")'
