"""Compiled loops of refinement: classes that change row by row."""
