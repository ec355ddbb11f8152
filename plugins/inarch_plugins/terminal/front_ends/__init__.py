"""Front ends for a run: text, live display and JSON."""
