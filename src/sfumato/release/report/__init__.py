"""The report for the person who signs: one page of HTML about one release, a module for every question that it answers.

Only aggregates go into it, and only in words and bins that the release itself shows.
"""
