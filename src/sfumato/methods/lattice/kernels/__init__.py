"""Compiled loops of the lattice: frequency sets, their roll-up, and what is found at every node."""
