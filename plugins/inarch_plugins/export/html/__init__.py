"""Session as one self-contained HTML page: no network, no other file, and readable without JavaScript."""
