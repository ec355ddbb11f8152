"""What a session's requests may take, and what they took."""
