"""Slash commands of a conversation."""
