"""``sfumato anonymize --max-loss``: the strongest privacy that a tolerable loss allows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from sfumato import parameters
from sfumato.dual import VARIED, find_strongest, split_models
from sfumato.errors import ParameterError
from sfumato.policy import Policy
from sfumato.privacy import KAnonymity, LDiversity
from sfumato.progress import ProgressOption
from sfumato.release.release import Release


@dataclass(frozen=True)
class Goal:
    """How much may be lost, and what is to be as large as possible."""

    max_loss: float
    maximize: str = "k"

    @classmethod
    def of(cls, max_loss: float | None, maximize: str | None) -> Goal | None:
        """Return what the options say, None where they say nothing."""
        if max_loss is None:
            if maximize is not None:
                raise ParameterError("--maximize needs the loss that is tolerable, such as --max-loss 0.10.")
            return None
        parameters.share("anonymize", "max-loss", max_loss)
        return cls(max_loss, parameters.choice("anonymize", "maximize", maximize or "k", VARIED))

    def run(self, policy: Policy, table: Path, progress: ProgressOption) -> tuple[Release, Policy]:
        """Return the release, and the policy that makes the same one."""
        found = find_strongest(table, policy, self.max_loss, self.maximize, progress)
        model = KAnonymity(found.value) if self.maximize == "k" else LDiversity(found.value)
        others, _ = split_models(self.maximize, policy.privacy)
        return found.release, replace(policy, privacy=[model, *others])
