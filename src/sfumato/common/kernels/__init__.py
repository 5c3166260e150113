"""Compiled loops over rows that every room may need."""
