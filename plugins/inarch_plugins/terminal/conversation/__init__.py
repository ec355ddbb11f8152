"""Conversation on a terminal: an input line that stays usable during a turn, with the output above it."""
