"""Directory of plugins, from plugins.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parents[1]
HEAD = """# Directory of plugins

<!-- made by: python docs/generate.py directory -->

Known plugins and what they bring. [Install and manage plugins](../how-to/plugins.md) explains how to use them.
[Hooks](hooks.md) explains the kinds.
"""
TAIL = """## Add yours

Add a table to `docs/plugins.toml`, run `python docs/generate.py directory` and propose the change:

```toml
[[plugins]]
name = "word-count"                  # entry point, as in a profile
distribution = "inarch-word-count"   # for pip
kinds = ["tool"]
summary = "Counts the words of a text."
link = "https://example.com/inarch-word-count"
```

The list is not a review. Before you enable a plugin, run `inarch plugins show NAME`.
"""
SECTIONS = {
    "In the default profile": lambda row: row.get("default", False),
    "Enabled by a model's name or a profile": lambda row: (
        row["distribution"] == "inarch" and not row.get("default", False)
    ),
    "Separate distributions": lambda row: row["distribution"] != "inarch",
}


def rows() -> list[dict[str, Any]]:
    """Return the tables of plugins.toml."""
    found: list[dict[str, Any]] = tomllib.loads((DOCS / "plugins.toml").read_text("utf-8"))["plugins"]
    return found


def page() -> str:
    """Return the whole page."""
    parts = [HEAD]
    for title, belongs in SECTIONS.items():
        table = ["| plugin | distribution | kinds | summary |", "|---|---|---|---|"]
        table += [_row(row) for row in rows() if belongs(row)]
        parts += [f"## {title}\n", "\n".join(table) + "\n"]
    return "\n".join([*parts, TAIL])


def _row(row: Mapping[str, Any]) -> str:
    link = row.get("link", "")
    name = f"[`{row['name']}`]({link})" if link else f"`{row['name']}`"
    return f"| {name} | `{row['distribution']}` | {', '.join(row['kinds'])} | {row['summary']} |"
