"""`inarch config`: what is configured and from where, and what writes configuration files."""
