"""`inarch config`: shows the configuration with its sources, and writes configuration files."""
