"""Configuration: layers, profiles, variables, trust, and the origin of every value."""
