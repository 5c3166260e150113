"""Compiled loops of the questions."""
