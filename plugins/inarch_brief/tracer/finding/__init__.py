"""Finding: the symbols, files and functions that a question or a name is about."""
