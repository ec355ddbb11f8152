"""commands: what `inarch` can be told besides a prompt. Its commands come by entry point, so it registers nothing."""
