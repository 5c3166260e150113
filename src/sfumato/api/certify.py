"""``sfumato.certify``: what a released file promises and achieves, for anyone with the file to check."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from typing import Any

from sfumato.api.attack import attack
from sfumato.api.checklist import answered
from sfumato.assess.attacks import ATTACKS, AttackOutcome, AttackReport
from sfumato.assess.attacks.side_channels import FileChannels
from sfumato.common.progress import ProgressOption
from sfumato.release.certificate import VERSION, Certificate
from sfumato.release.certificate_check import PEOPLE, ROWS, digest, file_record, recorded, seen_in
from sfumato.release.manifest import Reportable
from sfumato.release.release import Release
from sfumato.run.presets import Preset
from sfumato.verify.consequences import provable

#: Attacks that learn from all rows, and are not tried on tables of more rows than this.
SLOW = ("deFinetti",)
LARGE = 50_000
#: What a certificate says about the grounds of its promises; what was proven stands in the promises themselves.
GROUNDS = ("assumed", "guessed", "confirmed", "caveats")


def certify(
    original: object,
    release: Release,
    file: str | os.PathLike[str],
    path: str | os.PathLike[str] | None = None,
    *,
    targets: int = 1_000,
    seed: int | None = None,
    separator: str | None = None,
    sign: str | os.PathLike[str] | None = None,
    time_limit: float | None = None,
    progress: ProgressOption = False,
) -> Certificate:
    """Certify the file of a release: its promises, what it achieves, its risk, and the results of attacks.

    Parameters
    ----------
    original
        The table that the release was made from, as in `anonymize`.
    release
        The release.
    file
        The file that ``release.write`` made.
    path
        Where to write the certificate as JSON; not written if left out.
    targets, seed, separator
        As in `attack`. Tries all attacks that need only the original and the release; above 50,000 rows all but
        deFinetti. Under differential privacy it tries none, since every result tells something of the original.
    sign
        The file of the private key to sign the certificate with, as in `Certificate.sign`.
    time_limit
        Seconds for the attacks, which take longest; the certificate names those that are not tried by then.
    progress
        As in `attack`.

    Examples
    --------
    >>> import os, tempfile, pyarrow as pa, sfumato as sf
    >>> people = pa.table({"age": [25, 27, 41, 44], "illness": ["flu", "ulcer", "flu", "asthma"]})
    >>> release = sf.anonymize(people, quasi_identifiers="age", sensitive="illness", k=2)
    >>> file = os.path.join(tempfile.mkdtemp(), "release.csv")
    >>> release.write(file).ok and sf.certify(people, release, file).check(file).ok
    True
    """
    columns, by_rows = _columns(release), release.people is None
    known = columns["quasi_identifiers"], columns["sensitive"]
    promises = [recorded(one) for one in release.promises]
    parts = [provable(one, *known, people=not by_rows) for one in promises]
    _, figures = seen_in(file, columns, [one.promised for one in parts if one.promised is not None])
    may = Reportable.of(release.manifest)
    if may.private:
        # Whether an attack succeeds depends on the original, and so does a verdict without figures.
        tried = AttackReport((), {one.name: may.not_told for one in ATTACKS}, 0, 0)
    else:
        tried = _attacked(original, release, file, targets, seed, separator, time_limit, progress)
    preset = release.manifest.get("options", {}).get("preset")
    answers = None if preset is None else answered(Preset.named(preset), release, tried).to_dict()
    if answers is not None:
        answers |= {key: one for key, one in release.manifest["preset"].items() if key in {"confirmed", "census"}}
    record = {
        "certificate": VERSION,
        "file": file_record(file),
        "columns": columns,
        "counts": ROWS if by_rows else PEOPLE,
        "promises": promises,
        "grounds": {name: release.manifest["grounds"][name] for name in GROUNDS},
        "achieved": figures["achieved"] if by_rows else None,
        "risk": {
            "before": release.risk.before.to_dict() if may.original else None,
            "after": figures["risk"] if by_rows else release.risk.after.to_dict(),
        },
        "attacks": [_published(one, may) for one in tried.worst_first],
        "not_tried": dict(tried.skipped),
        "preset": answers,
        "versions": dict(release.manifest["versions"]),
    }
    # Compare what JSON gives back.
    record = json.loads(json.dumps(record))
    certificate = Certificate(record | {"digest": digest(record)})
    if sign is not None:
        certificate = certificate.sign(sign)
    if path is not None:
        certificate.write(path)
    return certificate


def _published(outcome: AttackOutcome, may: Reportable) -> dict[str, Any]:
    """Record an attack; how often it succeeded is withheld where a small count of people would follow."""
    record = outcome.to_dict()
    if may.allows_share(outcome.rate, outcome.trials):
        return record
    return record | dict.fromkeys(("rate", "low", "high", "gain", "sentence"))


def _attacked(
    original: object,
    release: Release,
    file: str | os.PathLike[str],
    targets: int,
    seed: int | None,
    separator: str | None,
    time_limit: float | None,
    progress: ProgressOption = False,
) -> AttackReport:
    """Try all attacks on a release, and on its file the one that searches bytes."""
    slow = SLOW if release.table.num_rows > LARGE else ()
    names = [one.name for one in ATTACKS if one.name not in slow]
    tried = attack(
        original,
        release,
        attacks=names,
        targets=targets,
        seed=seed,
        separator=separator,
        time_limit=time_limit,
        progress=progress,
    )
    searched = attack(
        original,
        os.fspath(file),
        quasi_identifiers=release.hierarchies,
        policy=release.policy,
        attacks=FileChannels.name,
        seed=seed,
        targets=1,
    )
    skipped = {name: needs for name, needs in tried.skipped.items() if name != FileChannels.name}
    skipped |= dict.fromkeys(slow, f"more time than there is for over {LARGE:,} rows; try it with sfumato attack")
    return replace(tried, outcomes=(*tried.outcomes, *searched.outcomes), skipped=skipped | dict(searched.skipped))


def _columns(release: Release) -> dict[str, list[str]]:
    return {
        "all": list(release.table.column_names),
        "quasi_identifiers": list(release.shown.class_columns),
        "sensitive": list(release.sensitive),
    }
