"""Command line: `main.run` parses the arguments, each command has a file."""
