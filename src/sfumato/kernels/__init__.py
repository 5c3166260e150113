"""Compiled loops that several parts share, on plain arrays: no objects, no strings, no validation.

The loops of one method lie beside it, in a folder of the same name, under the same rules.

A kernel is compiled once per machine and cached. Two decorators keep that first time short: only the functions that
Python calls get an entry from Python and a place in the cache; the loops inside them are compiled along with them.
"""
