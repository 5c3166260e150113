"""Kernels of the lower bound: prices of rows, and the cheapest boxes around them."""
