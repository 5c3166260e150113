"""Compiled loops of the verifier, which it shares with nobody."""
