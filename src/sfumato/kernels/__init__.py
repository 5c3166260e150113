"""Compiled loops on plain arrays: no objects, no strings, no validation.

A kernel is compiled once per machine and cached. Two decorators keep that first time short: only the functions that
Python calls get an entry from Python and a place in the cache; the loops inside them are compiled along with them.
"""
