"""Secrets stay out of what is kept, shown, logged and sent: known values, published forms, and text in pieces."""
