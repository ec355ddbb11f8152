"""The stored graph of calls: nodes, arcs between them, entry points, and the call paths to a target."""
