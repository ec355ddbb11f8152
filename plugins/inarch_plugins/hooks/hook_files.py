"""Files that hooks are read from."""

from __future__ import annotations

FILE = "hooks.json"
PROJECTS = f".inarch/{FILE}"
CLAUDE = ".claude/settings.json"
