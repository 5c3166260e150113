"""What is in a table: what each column is meant to be, whom it singles out, which role it should have."""

from __future__ import annotations

from sfumato.profiles.report import ColumnProfile, Profile

__all__ = ["ColumnProfile", "Profile"]
