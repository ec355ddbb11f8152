"""`inarch models`: lists models and tests them."""
