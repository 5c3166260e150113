"""Compiled loops of reading a release."""
