"""Compiled loops of the comparators."""
