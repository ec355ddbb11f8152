"""Commands: which may run, as what, and the tool that runs them.

A rule is data. The read-only tier says of each program every option it may take (`programs`, `git_rules`); the
workspace tier names the ways to run tests and builds (`runners`); everything else needs a `[commands.NAME]` of the
user's. `classification.classify` reads the tables and nothing else; the operating system confines what then runs.
"""
