"""The configuration floor: layers, profiles, variables, trust, and where every value came from."""
