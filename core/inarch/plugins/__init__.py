"""Plugins: found by their metadata, probed in a child process, composed in the order of the profile."""
