"""`inarch plugins`: lists, tests, installs and creates plugins."""
