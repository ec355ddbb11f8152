"""The commands of a conversation."""
