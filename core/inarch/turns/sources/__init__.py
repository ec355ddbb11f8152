"""The kernel's own context sources: mentions and the project's structure."""
