"""Policies: everything about a release but its data, in one file that people read and keep."""

from __future__ import annotations

from sfumato.policy.policy import Policy
from sfumato.policy.records import hierarchy_from_policy, method_from_policy, model_from_policy

__all__ = ["Policy", "hierarchy_from_policy", "method_from_policy", "model_from_policy"]
