"""`inarch doctor`: its checks, and the output of their findings."""
