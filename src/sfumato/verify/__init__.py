"""Verification of a table against its promises, by code that shares nothing with the code that made it."""

from sfumato.verify.release import verify_release
from sfumato.verify.verification import Verification

__all__ = ["Verification", "verify_release"]
