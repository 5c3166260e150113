"""The table that methods work on: schema, transformations, samples, pseudonyms, codes, and classes of a recoding."""
