"""The store of a tree, in one SQLite file: facts of its files, their words, and the arcs between them."""
