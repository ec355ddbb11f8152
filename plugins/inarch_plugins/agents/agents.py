"""An agent and the plugin's settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import Factory, field, frozen, validators

import inarch
from inarch_plugins.agents.tool_lists import Entry, Limit, granted


@frozen(eq=False, repr=False)
class Settings:
    """Settings of `[plugins.agents]`.

    Args:
        together: Most tasks of one turn that run at the same time, if they only read or have a work tree.
        builtin: Whether to define the read-only agent `explore` if no file does.
    """

    together: int = field(default=4, validator=validators.ge(1))
    builtin: bool = True


def settings_of(context: inarch.PluginContext) -> Settings:
    """Return the plugin's settings."""
    return context.settings if isinstance(context.settings, Settings) else Settings()


TREES = "trees"
"""Folder in the plugin's state for the work trees of running tasks."""
READS = frozenset({
    "context_get", "find_callers", "find_entry_points", "find_symbols", "git_blame", "git_diff", "git_log", "git_show",
    "git_status", "list_directory", "list_files", "read_file", "read_multiple_files", "read_output", "recall",
    "search_files", "trace_execution",
})  # fmt: skip
"""Tools of the default profile that change nothing. An agent with only these runs in parallel with others."""
BUILT_IN = "built in"


@frozen(eq=False, repr=False)  # each start makes the class
class Agent:
    """An agent that can be given work.

    Args:
        description: When to use it, for models and users.
        grants: The tools that it may call, none unless its file lists some; None for all of its caller's.
        model: Its model; empty for its caller's.
        only_reads: Whether it changes nothing, so that its tasks run in parallel.
        max_iterations: Most requests per task; None for its caller's limit.
        effort: Its model's effort; empty for its caller's.
        hides: Files with agents of the same name, which are ignored.
        has_tree: Whether it works in its own work tree.
        denies: The tools that it may not call.
        remarks: What its file says that has another meaning here or none.
        keys: Its file's front matter.
    """

    name: str
    description: str
    instructions: str
    grants: tuple[Entry, ...] | None = ()
    model: str = ""
    only_reads: bool = False
    max_iterations: int | None = None
    effort: str = ""
    source: str = BUILT_IN
    hides: tuple[str, ...] = ()
    fault: str = ""
    has_tree: bool = False
    denies: tuple[Entry, ...] = ()
    remarks: tuple[str, ...] = ()
    keys: Mapping[str, Any] = Factory(dict)

    @property
    def limit(self) -> Limit:
        """The limit of its calls."""
        return Limit(self.name, self.grants, self.denies)

    def tools(self, there: frozenset[str] | None) -> tuple[list[str] | None, list[str]]:
        """Return its tools of those there, None for all of its caller's, and the entries that its caller lacks."""
        if self.grants is None and (there is None or not self.denies):
            return None, []
        tools, missing = (sorted(there or ()), []) if self.grants is None else granted(self.grants, there)
        denied = {name for entry in self.denies if not entry.is_limited for name in inarch.granted_tools(entry.name)}
        return [name for name in tools if name not in denied], missing


EXPLORE = Agent(
    "explore",
    "Locates code and explains it, with paths and lines.",
    "You explore a project for a reader who does not know it. You change nothing. Answer the question briefly, and "
    "cite path and lines for every statement. If you found nothing, say so.",
    tuple(map(Entry, sorted(READS - {"recall"}))),
    only_reads=True,
)
