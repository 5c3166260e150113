"""What a request asks of a method, and a clear refusal of what a method declares it cannot do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sfumato.errors import ParameterError
from sfumato.methods.base import Method
from sfumato.privacy import PrivacyModel
from sfumato.table.microdata import Microdata

SUPPRESSION = "suppression"
SEVERAL_SENSITIVE = "several sensitive columns"
MISSING = "missing values"


def features(models: Sequence[PrivacyModel], microdata: Microdata, suppressible: int) -> Iterator[str]:
    """Name everything that a request asks for, in the words that `Method.unsupported` uses.

    A model is named, such as ``"l-diversity"``, and so is the variant of it, such as ``"l-diversity (entropy)"``.
    """
    for model in models:
        policy = model.to_policy()
        variant = policy.get("kind") or policy.get("distance")
        yield model.name
        if variant:
            yield f"{model.name} ({variant})"
    if suppressible:
        yield SUPPRESSION
    if len(microdata.sensitive) > 1:
        yield SEVERAL_SENSITIVE
    if any(domain.has_missing for domain in microdata.domains):
        yield MISSING


def refuse_unsupported(method: Method, models: Sequence[PrivacyModel], microdata: Microdata, suppressible: int) -> None:
    """Raise an error if a request asks for what a method declares as unsupported."""
    asked = dict.fromkeys(features(models, microdata, suppressible))
    refused = [feature for feature in asked if feature in method.unsupported]
    if refused:
        raise ParameterError(
            f"The method '{method.name}' does not support {', '.join(refused)}. "
            "Leave that out, or choose another method ('sfumato methods' lists them)."
        )
