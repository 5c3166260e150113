"""The table on its way to a method: its schema, its transformations, its codes, and the classes of a recoding."""
