"""`inarch sessions`: those that are kept, and what can be done with one."""
