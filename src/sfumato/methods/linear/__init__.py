"""Linear methods: sort the rows so that neighbours are similar, then cut the order into optimal runs."""
