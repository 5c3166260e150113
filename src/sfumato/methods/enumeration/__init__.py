"""Enumeration: the best hierarchical partition of a table, with a proven bound."""
