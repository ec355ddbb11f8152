"""memory: the user's notes, in a Markdown file that a person can read and edit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from attrs import frozen

import inarch

if TYPE_CHECKING:
    from inarch_plugins.memory.memory import Memory


@frozen(eq=False, repr=False)
class Settings:
    """Settings of `[plugins.memory]`.

    Args:
        scope: Owner of the memory: `user` stores it beside the user's configuration, `project` in the `.inarch` of a
            trusted project.
    """

    scope: Literal["user", "project"] = "user"


@inarch.hookimpl
def inarch_settings() -> type:
    """Return the settings class."""
    return Settings


@inarch.hookimpl
def inarch_tools(context: inarch.PluginContext) -> Iterable[inarch.Tool]:
    """Return the tools that save and find notes."""
    from inarch_plugins.memory.tools import tools

    return tools(_memory(context))


@inarch.hookimpl
def inarch_context_sources(context: inarch.PluginContext) -> Iterable[inarch.ContextSource]:
    """Return the source that gives the model the saved notes."""
    from inarch_plugins.memory.source import Remembered

    return [Remembered(_memory(context))]


@inarch.hookimpl
def inarch_slash_commands(context: inarch.PluginContext) -> Iterable[inarch.SlashCommand]:
    """Return `/memory`."""

    def show(words: str) -> str:
        from inarch_plugins.memory.tools import listed

        return listed(_memory(context), words)

    return [inarch.SlashCommand("memory", "Show what is remembered, or what matches some words.", show)]


def _memory(context: inarch.PluginContext) -> Memory:
    from inarch_plugins.memory.memory import Memory

    settings = context.settings if isinstance(context.settings, Settings) else Settings()
    return Memory(context.project if settings.scope == "project" else context.user, settings.scope)
