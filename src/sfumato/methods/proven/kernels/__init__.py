"""Compiled loops of the dive."""
