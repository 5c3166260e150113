"""Compiled loops that every method shares: span costs, privacy rules, class bounds. Plain arrays only."""
