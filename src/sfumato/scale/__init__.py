"""Past memory, past one machine: the same release through an engine that holds the rows."""
