"""Reads tables from JSON files."""

import json
from typing import Any


def read_table(path: str) -> dict[str, Any]:
    """Return the table that a JSON file describes."""
    with open(path, encoding="utf-8") as file:
        table: dict[str, Any] = json.load(file)
        return table
