"""Compiled loops that all methods share, on plain arrays: span costs, privacy rules, class bounds."""
