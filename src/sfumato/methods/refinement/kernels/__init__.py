"""Kernels of refinement: moving rows, regrouping and narrowing classes."""
