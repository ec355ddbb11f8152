"""The composed application and its sessions, one layer above turns."""
