"""Compiled loops of measures."""
