"""Linking: from the facts of files to the meaning of their names and the calls between their functions."""
