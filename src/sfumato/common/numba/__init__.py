"""Numba: how a function becomes a compiled kernel, and how compiled kernels are kept between runs."""
