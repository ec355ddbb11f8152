"""The command line: `main.run` reads the words, a file each holds a command, `front_ends` shows what happens."""
