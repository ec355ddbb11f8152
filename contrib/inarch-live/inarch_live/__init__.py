"""Live: a spoken session over the same tools, approvals and undo as text."""
