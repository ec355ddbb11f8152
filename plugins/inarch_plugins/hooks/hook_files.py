"""Names of the hook files."""

from __future__ import annotations

FILE = "hooks.json"
PROJECTS = f".inarch/{FILE}"
CLAUDE = ".claude/settings.json"
LOCAL = ".claude/settings.local.json"
