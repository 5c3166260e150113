"""``sfumato check``: the verdict on a table that anybody made."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import typer

from sfumato.api.policy import Policy
from sfumato.cli.exits import FAILED
from sfumato.cli.options import Asked
from sfumato.cli.request import columns_of, file_options, given_table, to_policy
from sfumato.cli.screen import answer, answer_json
from sfumato.errors import ParameterError, SchemaError, listed
from sfumato.io import open_source
from sfumato.io.spool import STANDARD
from sfumato.release.certificate import Certificate
from sfumato.verify.verification import SensitiveAchieved, Verification


def run(
    asked: Asked,
    place: str,
    table: str | None,
    certificate: Path | None,
    read_as: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Check a table; the exit code is the verdict."""
    if certificate is not None:
        result = _certified(asked, place, certificate)
    else:
        data = given_table(place, asked, read_as, table)
        policy = to_policy(asked, columns_of(data, asked))
        _require_roles(policy)
        result = policy.check(open_source(data, **vars(file_options(asked))))
    if as_json:
        answer_json(result.to_dict())
    elif not quiet:
        answer(report(result))
    if not result.ok:
        raise typer.Exit(FAILED)


def _certified(asked: Asked, place: str, certificate: Path) -> Verification:
    """Check a file by its certificate, which names columns and rules itself."""
    heeded = {"command", "separator", "encoding"}
    said = [one.name for one in fields(asked) if one.name not in heeded and getattr(asked, one.name) is not None]
    if said or place == STANDARD:
        raise ParameterError(
            "A certificate is about a file, and names its columns and rules itself. Leave out "
            f"{listed(said) if said else 'stdin and name the file'}."
        )
    return Certificate.read(certificate).check(place, asked.separator, asked.encoding)


def _require_roles(policy: Policy) -> None:
    """Say how to name what is lacking; the verifier does not know about options."""
    if not policy.schema.quasi_identifiers:
        raise SchemaError(
            "Name the quasi-identifiers with --qi COLUMN or --policy FILE: without any, every table looks safe."
        )
    if not policy.schema.sensitive and any(model.needs_sensitive for model in policy.privacy):
        raise SchemaError("l-diversity and t-closeness need a sensitive column. Name it, such as --sensitive disease.")


def report(result: Verification) -> str:
    """Return the verdict and what the table achieves."""
    verdict = result.summary() if result.checks else f"{result.rows:,} rows in {result.classes:,} classes"
    if result.k is None:
        return verdict
    lines = [verdict, "", f"achieved  k={result.k:,}"]
    lines += [f"          {name}: {_achieved(one)}" for name, one in result.achieved.sensitive.items()]
    return "\n".join(lines)


def _achieved(one: SensitiveAchieved) -> str:
    return (
        f"l={one.frequency_l:.4g} (distinct {one.distinct_l}, entropy {one.entropy_l:.4g}), "
        f"t={one.t:.4g} ({one.distance})"
    )
