"""Commands: which may run, with which rights, and the tool that runs them.

Rules are data. The read-only tier lists every option that each program may take (`programs`, `git_rules`). The
workspace tier lists the ways to run tests and builds (`runners`). Everything else needs a `[commands.NAME]` table of
the user. `classification.classify` reads only the tables. The operating system confines what then runs.
"""
