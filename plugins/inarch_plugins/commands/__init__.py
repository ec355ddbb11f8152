"""commands: the subcommands of `inarch`. They are found by entry point, so the plugin registers nothing."""

__tracebackhide__ = True  # it calls plugins, so failures are theirs
