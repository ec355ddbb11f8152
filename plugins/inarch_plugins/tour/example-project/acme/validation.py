"""The rules that a table must keep."""

from typing import Any

TYPES = ("text", "number", "date")


class TableError(ValueError):
    """A table breaks a rule; the message says which."""


def validate_table(table: dict[str, Any]) -> None:
    """Check the schema of a table, then its constraints.

    Raises:
        TableError: It breaks a rule.
    """
    check_schema(table)
    check_constraints(table)


def check_schema(table: dict[str, Any]) -> None:
    """Check that every column has a known type."""
    for name, kind in table.get("columns", {}).items():
        if kind not in TYPES:
            raise TableError(f"column {name!r} has the unknown type {kind!r}")


def check_constraints(table: dict[str, Any]) -> None:
    """Check that the table has a name and at least one column."""
    if not table.get("name"):
        raise TableError("the table has no name")
    if not table.get("columns"):
        raise TableError("the table has no columns")
