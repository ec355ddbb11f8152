"""`inarch policy`: what may run without asking, and rules without effect."""
