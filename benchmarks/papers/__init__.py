"""Every experiment of the four papers: measured, drawn, and judged claim by claim. ``python -m benchmarks figures``."""
