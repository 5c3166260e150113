"""Compiled loops on plain arrays: no objects, no strings, no validation."""
