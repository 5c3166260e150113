"""β-likeness and δ-disclosure privacy as the verifier understands them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sfumato import parameters
from sfumato.verify.models import TOLERANCE, Finding, Sensitive

LIKENESS_KINDS = ("basic", "enhanced")


def check_likeness(requirement: Mapping[str, Any], column: Sensitive) -> Finding:
    """Check β-likeness: by which share of itself each class's values are more frequent than in the table, at most.

    For the enhanced kind a gain is measured against what the value may gain, so that the limit is β again.
    """
    asked = parameters.number("beta-likeness", "beta", requirement.get("beta"), above=0)
    kind = parameters.choice("beta-likeness", "kind", requirement.get("kind", "basic"), LIKENESS_KINDS)
    histogram = column.histogram
    whole = histogram.shares[histogram.values]
    gains = histogram.class_shares / whole - 1
    if kind == "enhanced":
        allowed = np.minimum(asked, np.log(1 / whole))
        gains = np.where(gains <= allowed + TOLERANCE, np.minimum(gains, asked), np.maximum(gains, 2 * asked))
    found = np.maximum.reduceat(gains, histogram.starts) if len(histogram.sizes) else np.empty(0)
    holds = found <= asked + TOLERANCE * (1 + asked)
    return Finding(f"beta-likeness beta={asked:g} ({kind})", column.name, asked, "largest gain", found, holds, False)


def check_disclosure(requirement: Mapping[str, Any], column: Sensitive) -> Finding:
    """Check δ-disclosure privacy: how many times doubled or halved each class's values are, at most."""
    asked = parameters.number("delta-disclosure", "delta", requirement.get("delta"), above=0)
    histogram = column.histogram
    found = np.empty(0)
    if len(histogram.sizes):
        changes = np.abs(np.log2(histogram.class_shares) - np.log2(histogram.shares[histogram.values]))
        found = np.maximum.reduceat(changes, histogram.starts)
        found[histogram.distinct < np.count_nonzero(histogram.shares)] = np.inf  # some value is not there at all
    holds = found < asked * (1 - TOLERANCE)
    return Finding(f"delta-disclosure delta={asked:g}", column.name, asked, "largest change", found, holds, False)
