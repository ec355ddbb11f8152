"""Execution paths as people and models see them: as text, JSON and diagrams, kept by hand, and told with a turn."""
