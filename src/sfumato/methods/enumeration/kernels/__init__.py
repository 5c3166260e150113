"""Compiled loops of enumeration: boxes of grid cells, and the searches over their cuts."""
