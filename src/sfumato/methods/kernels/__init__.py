"""Compiled loops of what stands beside the families of methods: trimming classes, and peeling."""
