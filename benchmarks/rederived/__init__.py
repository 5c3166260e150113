"""A second set of scripts: figures of the four papers, from their texts, by code that shares nothing with the first."""
