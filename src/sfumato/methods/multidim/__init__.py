"""Multidimensional recoding: regions of the quasi-identifier space."""
