"""Indexing: reading, linking and storing the changed files of a tree, within a time limit and in the background."""
