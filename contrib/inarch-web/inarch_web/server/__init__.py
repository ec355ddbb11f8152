"""The server: access checks, pages, rooms and their messages."""
