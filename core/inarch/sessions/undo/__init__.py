"""Every turn is a checkpoint of what it changed: take it back, put it on again, say who wrote a line."""
