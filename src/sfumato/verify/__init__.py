"""Checking a table against what was promised of it, by code that shares nothing with what made it."""

from sfumato.verify.release import verify_release
from sfumato.verify.verification import Verification

__all__ = ["Verification", "verify_release"]
