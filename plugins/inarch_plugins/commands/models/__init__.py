"""`inarch models`: which there are, and whether they work."""
