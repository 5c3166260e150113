"""``sfumato anatomize``: two tables, checked together before either is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli import options
from sfumato.cli.screen import answer_json, is_watched, say, wrapped
from sfumato.errors import ParameterError

if TYPE_CHECKING:
    from sfumato.release.anatomy import Anatomy

#: The options that make sense here: there is no method, and no hierarchy, as nothing is generalized.
TWO_TABLES = {"quasi_identifiers", "sensitive", "identifiers", "plain", "rest", "l", "missing", "seed"}
TWO_TABLES |= options.FILE | options.WRITING | {"na", "confirm", "strict", "transform", "sample", "policy"}


@options.takes(only=TWO_TABLES)
def anatomize(
    place: options.Place,
    output: options.Output,
    values: Annotated[
        Path, typer.Option("--values", metavar="OUT", help="The second file to write: the values of every group.")
    ],
    asked: options.Asked,
    table: options.Table = None,
    read_as: options.From = None,
    manifest: options.ManifestFile = None,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Release two tables, for comparison: sensitive values are protected, but every person's row can be found.

    For example: sfumato anatomize patients.csv -o people.csv --values values.csv --qi age --qi zip --sensitive disease
    --identifiers name -l 3
    """
    from sfumato.api.anatomize import anatomize_for
    from sfumato.cli.request import to_policy
    from sfumato.cli.table import Input, columns_of
    from sfumato.common import parameters
    from sfumato.common.progress import silent
    from sfumato.privacy import LDiversity

    written = {"output": output, "values": values} | ({} if manifest is None else {"manifest": manifest})
    _refuse_files(place, written)
    data = Input(place, read_as, table).open(asked)
    policy = to_policy(asked, columns_of(data, asked))
    wanted = next((model.l for model in policy.privacy if isinstance(model, LDiversity)), None)
    if wanted is None:
        raise ParameterError("Two tables promise l-diversity. Say how much, such as -l 3.")
    l = parameters.integer("anatomize", "l", wanted, at_least=2)  # noqa: E741
    request = replace(policy, privacy=(LDiversity(l),), caller="anatomize")
    release = anatomize_for(policy.open(data), request, l, silent if quiet else is_watched())
    release.write(output, values, manifest)
    if as_json:
        answer_json(record(release, written))
    if not quiet:
        say(wrapped(release.summary()))
        say("\n".join(f"wrote {path}" for path in written.values()))


def _refuse_files(place: str, written: Mapping[str, Path]) -> None:
    """Refuse, before the work starts, files that cannot or must not be written."""
    from sfumato.cli.files import read_files, refuse_overwriting
    from sfumato.io import check_writable
    from sfumato.io.spool import STANDARD

    refuse_overwriting(written, read_files(place))
    for name, path in written.items():
        if str(path) == STANDARD:
            raise ParameterError(f"Two tables cannot go to stdout together. Name a file for the {name}.")
        check_writable(path, table=name != "manifest")


def record(release: Anatomy, written: Mapping[str, Path]) -> dict[str, Any]:
    """Collect what is known about two tables, for programs, except for the seed, which only the owner may know."""
    options = {name: value for name, value in release.manifest["options"].items() if name != "seed"}
    return {
        "files": {name: str(path) for name, path in written.items()},
        "released": release.verification.to_dict(),
        "cautions": [caution.to_dict() for caution in release.cautions],
        "manifest": release.manifest | {"options": options},
    }
