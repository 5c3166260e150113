"""Compiled loops of the multidimensional methods: how to cut a part of the table in two."""
