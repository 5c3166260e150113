"""Multidimensional recoding: cut the quasi-identifier space into regions."""
