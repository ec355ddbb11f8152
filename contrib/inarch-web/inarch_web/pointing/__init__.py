"""Pointing: the user's own page in a frame, the element they select, and the tools for both."""
