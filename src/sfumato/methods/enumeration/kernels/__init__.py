"""Compiled loops of enumeration: boxes of grid cells, and searches over their cuts."""
