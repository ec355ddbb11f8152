"""The conversation on a terminal: a line that stays usable while a turn runs, above it what happens."""
