"""Compiled loops of the recoding models."""
