"""Profiles of tables: the meaning of each column, how it singles people out, and the role it should have."""

from __future__ import annotations

from sfumato.profiles.report import ColumnProfile, Profile

__all__ = ["ColumnProfile", "Profile"]
