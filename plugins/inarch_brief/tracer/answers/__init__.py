"""Answers of tools, commands and turns to people and models, as text, JSON and diagrams."""
