"""Charts from plain numbers, each with the same numbers as a table.

Nothing here knows a release, a table or a file: `sfumato.common.charts.charts` draws a `Picture` of any numbers, for a
report, a notebook or a benchmark.
"""
