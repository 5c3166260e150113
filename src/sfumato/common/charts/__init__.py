"""Everything that is drawn: charts from plain numbers, each with its twin as a table.

Nothing here knows a release, a table or a file. Whoever has numbers to show, on a page, in a notebook, in a benchmark,
asks `sfumato.common.charts.charts` for a `Picture` of them.
"""
