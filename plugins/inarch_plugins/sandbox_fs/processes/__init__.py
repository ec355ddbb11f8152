"""Programs of a workspace: found, confined, run, watched and killed, by a small fork server."""
