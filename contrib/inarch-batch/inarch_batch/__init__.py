"""Batches: many tasks, each in its own clean tree, under one cost limit."""
