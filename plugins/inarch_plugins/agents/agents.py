"""An agent: what its file says of it, in our words."""

from __future__ import annotations

from attrs import field, frozen, validators

import inarch


@frozen(eq=False, repr=False)
class Settings:
    """Settings of `[plugins.agents]`.

    Args:
        together: How many tasks of one turn run at the same time: those that only read or have a work tree.
        builtin: Whether there is the agent `explore`, which only reads, where no file brings another one.
    """

    together: int = field(default=4, validator=validators.ge(1))
    builtin: bool = True


def settings_of(context: inarch.PluginContext) -> Settings:
    """Return the plugin's settings."""
    return context.settings if isinstance(context.settings, Settings) else Settings()


TREES = "trees"
"""The folder of the plugin's own where work trees are while a task runs."""
READS = frozenset({
    "context_get", "find_callers", "find_entry_points", "find_symbols", "git_blame", "git_diff", "git_log", "git_show",
    "git_status", "list_directory", "list_files", "read_file", "read_multiple_files", "read_output", "recall",
    "search_files", "trace_execution",
})  # fmt: skip
"""Tools of the default profile that change nothing: an agent that has no others runs beside others."""
BUILT_IN = "built in"


@frozen(eq=False, repr=False)  # each start makes the class
class Agent:
    """An agent that can be given work.

    Args:
        name: What it is called.
        description: When to give it work, for models and people.
        instructions: What its model is told.
        tools: The tools that it may call, none unless its file says so; None is all that its caller has.
        model: Whom it asks; empty for its caller's.
        only_reads: Whether it changes nothing, so that its tasks run together.
        max_iterations: Its most requests a task; None is its caller's.
        effort: How much its model thinks; empty for as much as its caller's.
        source: The file it stands in.
        hides: Files with agents of the same name, which don't count.
        fault: Why it can't be given work; empty if it can.
        has_tree: Whether it works in a work tree of its own.
    """

    name: str
    description: str
    instructions: str
    tools: tuple[str, ...] | None = ()
    model: str = ""
    only_reads: bool = False
    max_iterations: int | None = None
    effort: str = ""
    source: str = BUILT_IN
    hides: tuple[str, ...] = ()
    fault: str = ""
    has_tree: bool = False


EXPLORE = Agent(
    "explore",
    "Finds out how something works or where it is, with paths and lines.",
    "You find things out in a project for somebody who has not read it. You change nothing. Answer what was asked in "
    "few words, and name the path and the lines of everything that you tell. Say so where you found nothing.",
    tuple(sorted(READS - {"recall"})),
    only_reads=True,
)
