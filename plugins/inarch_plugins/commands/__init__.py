"""commands: what `inarch` can be told besides a prompt. Its commands come by entry point, so it registers nothing."""

__tracebackhide__ = True  # it calls what plugins bring: a failure is theirs, not where it was called
