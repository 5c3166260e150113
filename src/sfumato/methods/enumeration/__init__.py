"""Enumeration: the best hierarchical partition of a table, with a proof of how good it is."""
