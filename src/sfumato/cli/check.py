"""``sfumato check``: the verdict on any table, by Sfumato or another tool."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli import options
from sfumato.cli.exits import FAILED, NOT_CHECKABLE
from sfumato.cli.screen import answer, answer_json
from sfumato.errors import ParameterError, SchemaError, listed, printable

if TYPE_CHECKING:
    from sfumato.api.policy import Policy
    from sfumato.cli.table import Input
    from sfumato.release.manifest import Grounds
    from sfumato.verify.verification import SensitiveAchieved, Verification

CertificateToCheck = Annotated[
    Path | None,
    typer.Option(
        "--certificate",
        metavar="FILE",
        help="Recompute what this certificate says about the file; a difference is a broken rule.",
    ),
]

BoundToCheck = Annotated[
    Path | None,
    typer.Option(
        "--bound",
        metavar="FILE",
        help="The table is the original: confirm the least possible loss that this file of 'sfumato anonymize --bound' "
        "states, over all boxes.",
    ),
]

PublicKey = Annotated[
    Path | None,
    typer.Option(
        "--public-key",
        metavar="FILE",
        help="The owner's public key (Ed25519, PEM): the certificate must be signed with it.",
    ),
]

#: The options about columns, rules and reading.
CHECKED = {"quasi_identifiers", "sensitive", "person", "k", "l", "t", "privacy", "preset", "confirm", "policy"}
CHECKED |= options.FILE | options.ENGINE


@options.takes(only=CHECKED)
def check(
    place: options.Place,
    asked: options.Asked,
    table: options.Table = None,
    read_as: options.From = None,
    certificate: CertificateToCheck = None,
    public_key: PublicKey = None,
    bound: BoundToCheck = None,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Check any table, made by any tool, and name the rows that break a rule. Exit code 0 if all rules hold, 1 if not.

    Exit code 6 if nothing is broken, but the file alone does not prove some promise.
    Without a rule it reports what the table achieves. For example: sfumato check release.csv --qi age --qi zip
    --sensitive disease -k 10 -l 3
    """
    from sfumato.cli.request import to_policy
    from sfumato.cli.table import Input, columns_of, file_options
    from sfumato.io import open_source

    if public_key is not None and certificate is None:
        raise ParameterError("--public-key checks the signature of a certificate. Name it with --certificate FILE.")
    if bound is not None:
        _by_bound(asked, Input(place, read_as, table), bound, certificate, as_json, quiet)
        return
    policy = None
    if certificate is not None:
        result = _by_certificate(asked, place, certificate, public_key)
    else:
        data = Input(place, read_as, table).open(asked)
        policy = to_policy(asked, columns_of(data, asked))
        _require_roles(policy)
        result = policy.check(open_source(data, **vars(file_options(asked))))
    if as_json:
        answer_json(result.to_dict() | ({} if policy is None else {"grounds": _grounds(result, policy).to_dict()}))
    elif not quiet:
        answer("\n".join([verdict(result), *([] if policy is None else _rests_on(result, policy))]))
    if not result.ok:
        raise typer.Exit(FAILED if result.broken else NOT_CHECKABLE)


def _by_bound(
    asked: options.Asked, given: Input, bound: Path, certificate: Path | None, as_json: bool, quiet: bool
) -> None:
    """Confirm a bound on the loss from the original; the hierarchies of a policy must be those of the file."""
    from sfumato.api.check_bound import check_bound
    from sfumato.cli.request import to_policy
    from sfumato.cli.table import columns_of, file_options
    from sfumato.io import open_source

    refused = {
        "quasi_identifiers",
        "sensitive",
        "person",
        "k",
        "l",
        "t",
        "privacy",
        "preset",
        "confirm",
        "engine",
        "memory",
        "temporary",
    }
    said = [options.typed(name) for name in sorted(refused) if getattr(asked, name, None) is not None]
    said += [] if certificate is None else ["--certificate"]
    if said:
        raise ParameterError(
            f"A bound file states what its bound is about. Leave out {listed(said)}. To compare its hierarchies with "
            "yours, name the policy of the release: --policy FILE."
        )
    data = given.open(asked)
    schema = None if asked.policy is None else to_policy(asked, columns_of(data, asked)).schema
    found = check_bound(open_source(data, **vars(file_options(asked))), bound, schema)
    if as_json:
        answer_json(found.to_dict())
    elif not quiet:
        answer(found.summary())
    if not found.ok:
        raise typer.Exit(FAILED)


def _by_certificate(asked: options.Asked, place: str, certificate: Path, public_key: Path | None) -> Verification:
    """Check a file by its certificate, which names columns and rules itself."""
    from sfumato.io.spool import STANDARD
    from sfumato.release.certificate import Certificate

    heeded = {"command", "separator", "encoding"}
    said = [
        options.typed(one.name)
        for one in fields(asked)
        if one.name not in heeded and getattr(asked, one.name) is not None
    ]
    if said or place == STANDARD:
        raise ParameterError(
            "A certificate is about a file, and names its columns and rules itself. Leave out "
            f"{listed(said) if said else 'stdin and name the file'}."
        )
    return Certificate.read(certificate).check(place, asked.separator, asked.encoding, public_key)


def _require_roles(policy: Policy) -> None:
    """Name the options that are missing; the verifier does not know about options."""
    if not policy.schema.quasi_identifiers:
        raise SchemaError(
            "Name the quasi-identifiers with --qi COLUMN or --policy FILE: without any, every table looks safe."
        )
    if not policy.schema.sensitive and any(model.needs_sensitive for model in policy.privacy):
        raise SchemaError("l-diversity and t-closeness need a sensitive column. Name it, such as --sensitive disease.")


def verdict(result: Verification) -> str:
    """Say whether the rules hold, and what the table achieves."""
    first = (
        result.summary()
        if result.checks or result.not_checkable
        else f"{result.rows:,} rows in {result.classes:,} classes"
    )
    if result.k is None:
        return first
    lines = [first, "", f"achieved  k={result.k:,}"]
    lines += [f"          {name}: {_achieved(one)}" for name, one in result.achieved.sensitive.items()]
    return "\n".join(lines)


def _rests_on(result: Verification, policy: Policy) -> list[str]:
    """Say what the verdict was recomputed from, and what it assumes."""
    grounds = _grounds(result, policy)
    if result.checks:
        first = [f"proven    from {grounds.source}"] if result.ok else []
    else:
        first = [f"but       {caveat}" for caveat in grounds.caveats]
    return [*first, f"assumed   {printable('; '.join(grounds.assumed), lines=False)}"]


def _grounds(result: Verification, policy: Policy) -> Grounds:
    from sfumato.release.manifest import Grounds, model_record

    schema = policy.schema
    roles = dict.fromkeys(schema.quasi_identifiers, "quasi-identifier") | dict.fromkeys(schema.sensitive, "sensitive")
    roles |= {} if schema.person is None else {schema.person: "person"}
    stated = {"roles": roles, "privacy": [model_record(model) for model in policy.privacy]}
    return Grounds.of(stated, result, "rows of the table")


def _achieved(one: SensitiveAchieved) -> str:
    return (
        f"l={one.frequency_l:.4g} (distinct {one.distinct_l}, entropy {one.entropy_l:.4g}), "
        f"t={one.t:.4g} ({one.distance})"
    )
