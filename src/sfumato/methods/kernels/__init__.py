"""Kernels that no single family owns: dividing a table, trimming classes, peeling."""
