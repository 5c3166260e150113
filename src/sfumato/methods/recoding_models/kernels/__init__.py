"""Kernels of the recoding models."""
