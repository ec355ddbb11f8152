"""Pointing: a person's own page in a frame, what they select in it, and the tools that see it."""
