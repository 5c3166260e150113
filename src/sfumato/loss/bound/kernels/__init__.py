"""Compiled loops of the measures: what rows must lose at least."""
