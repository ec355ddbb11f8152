"""Checks tables before they are stored."""

from acme.validation import TableError, validate_table

__all__ = ["TableError", "validate_table"]
