"""The command line: `main.run` reads the words, a file each holds a command, `showing` has who shows a run."""
