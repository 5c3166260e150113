"""Compiled loops of the lattice: frequency sets, their roll-up, and the findings of every node."""
