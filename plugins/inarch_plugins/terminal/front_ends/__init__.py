"""What a run shows: as text, as a picture, as JSON."""
