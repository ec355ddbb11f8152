"""A turn from prompt to answer."""
