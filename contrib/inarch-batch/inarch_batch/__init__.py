"""Batch: many tasks, each in a clean tree of its own, under one ceiling of money."""
