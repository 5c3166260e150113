"""Linear methods: put the rows in one order in which neighbours are alike, then cut that order well."""
