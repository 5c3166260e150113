"""Compiled loops of the linear methods: keys, orders, and the cheapest cuts of an order."""
