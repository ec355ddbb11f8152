"""A session as one HTML page that needs nothing else: no network, no other file, and no JavaScript to be read."""
