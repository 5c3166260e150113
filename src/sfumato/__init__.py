"""Publish tables about people so that nobody in them can be singled out."""
