"""What of a conversation a model sees: counted, and fitted to its window."""
