"""The report for the person who approves a release: one HTML page, with a module for every section.

Only aggregates go into it, and only in words and bins that the release itself shows.
"""
