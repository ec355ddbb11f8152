"""The supported agents and their configuration files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from inarch_plugins.setup.insertions import Kind

PARAGRAPH = """\
## Finding code with Inarch

Before you search this project by words, run `inarch context get "WHAT THE TASK IS ABOUT"`. It prints the best
match, every entry point that reaches it and what it calls, with file and line. The MCP server `inarch` offers the
same as the tool `context_get`, and more.
"""
SKILL = """\
---
name: inarch-context
description: >-
  Finds the code that a task or a question is about, with the call paths from the program's entry points and
  what it calls. Use it before searching by words, before changing a function, and to see what a change can break.
---

# Find the code that a task is about

Run this in the project's folder with the task, the question or the name of a function:

    inarch context get "where is the price of a request computed?"

It prints the best match, every entry point that reaches it and what it calls, with file and line. It only reads.

- `--code` also shows the source. `--file PATH` searches only a file or folder.
- `--tokens N` limits the answer. `--no-paths` omits the paths from the entry points.
- `--json` prints everything for a program.

Read the files that it names before you change them. If the match is not what you meant, ask again with the words
that the code itself uses.
"""


class Part(NamedTuple):
    """One file that an agent reads, and its content for Inarch."""

    path: Path
    kind: Kind
    content: Any
    within: Path | None = None


class Agent(NamedTuple):
    """An agent: its name on the command line, its own name, and its files."""

    name: str
    title: str
    guide: str
    skills: str

    def parts(self, root: Path, environ: Mapping[str, str], server: Mapping[str, Any]) -> tuple[Part, ...]:
        """Return the agent's files for Inarch in a project."""
        if self.name == "claude-code":
            entry = Part(root / ".mcp.json", "json", server, root)
        else:
            home = environ.get("CODEX_HOME") or Path(environ.get("HOME") or Path.home()) / ".codex"
            entry = Part(Path(home) / "config.toml", "toml", server)
        return (
            entry,
            Part(root / self.guide, "paragraph", PARAGRAPH, root),
            Part(root / self.skills / "inarch-context" / "SKILL.md", "whole", SKILL, root),
        )


AGENTS = (
    Agent("claude-code", "Claude Code", "CLAUDE.md", ".claude/skills"),
    Agent("codex", "Codex", "AGENTS.md", ".agents/skills"),
)
