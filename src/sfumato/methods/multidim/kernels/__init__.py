"""Compiled loops of the multidimensional methods: how a part of the table is cut in two."""
