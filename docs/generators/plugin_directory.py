"""The directory of plugins, from the list in plugins.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parents[1]
HEAD = """# Directory of plugins

<!-- made by: python docs/generate.py directory -->

Plugins that are known here, and what they bring. How one is installed and switched on is told in
[Find, install and switch off plugins](../how-to/plugins.md); what a kind means in [the hooks](hooks.md).
"""
TAIL = """## Add yours

Add a table to `docs/plugins.toml`, run `python docs/generate.py directory` and propose the change:

```toml
[[plugins]]
name = "word-count"                  # the entry point's name: what a profile lists
distribution = "inarch-word-count"   # what pip installs
kinds = ["tool"]
summary = "Counts the words of a text."
link = "https://example.com/inarch-word-count"
```

A row says that somebody wrote the plugin, not that anybody here has read it. Before you switch one on, see what
[`inarch plugins show NAME`](cli-help.md#inarch-plugins-show) tells of it.
"""
SECTIONS = {
    "Shipped with Inarch, in the default profile": lambda row: row.get("default", False),
    "Shipped with Inarch, switched on by a model's name or by a profile": lambda row: (
        row["distribution"] == "inarch" and not row.get("default", False)
    ),
    "Distributions of their own": lambda row: row["distribution"] != "inarch",
}


def rows() -> list[dict[str, Any]]:
    """Return the tables of plugins.toml."""
    found: list[dict[str, Any]] = tomllib.loads((DOCS / "plugins.toml").read_text("utf-8"))["plugins"]
    return found


def page() -> str:
    """Return the whole page."""
    parts = [HEAD]
    for title, belongs in SECTIONS.items():
        table = ["| plugin | distribution | kinds | what it does |", "|---|---|---|---|"]
        table += [_row(row) for row in rows() if belongs(row)]
        parts += [f"## {title}\n", "\n".join(table) + "\n"]
    return "\n".join([*parts, TAIL])


def _row(row: Mapping[str, Any]) -> str:
    link = row.get("link", "")
    name = f"[`{row['name']}`]({link})" if link else f"`{row['name']}`"
    return f"| {name} | `{row['distribution']}` | {', '.join(row['kinds'])} | {row['summary']} |"
