"""Compiled loops of the utility measures."""
