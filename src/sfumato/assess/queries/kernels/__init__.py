"""Compiled loops that answer queries."""
