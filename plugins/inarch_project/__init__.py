"""project: the model's context has what a prompt mentions with `@`, the structure, and what a person did meanwhile."""

from __future__ import annotations

from collections.abc import Iterable

import inarch


class ChangesUndone:
    """The context source that says which changes a person took back, or put on again, since the last answer."""

    name = "undo"

    async def gather(self, situation: inarch.Situation) -> inarch.Contribution | None:
        """Return a line about it, if there is something to tell."""
        if not situation.happened:
            return None
        from inarch_project.changes_undone import gather

        return gather(situation)


class CommandsRan:
    """The context source for what a person ran with `!` since the last answer."""

    name = "commands"

    async def gather(self, situation: inarch.Situation) -> inarch.Contribution | None:
        """Return the commands with what they wrote."""
        if not situation.happened:
            return None
        from inarch_project.commands_ran import gather

        return gather(situation)


class Mentions:
    """The context source for `@` mentions; `\\ ` stands for a space in a path."""

    name = "mentions"

    async def gather(self, situation: inarch.Situation) -> inarch.Contribution | None:
        """Return the calls that read what was mentioned, and a note on what could not be."""
        if "@" not in situation.turn.content:
            return None
        from inarch_project.mentions import gather

        return await gather(situation)


class ProjectStructure:
    """The context source that says once what the project is, and again when that changed or is no longer seen."""

    name = "structure"

    async def gather(self, situation: inarch.Situation) -> inarch.Contribution | None:
        """Return tree, languages, dependencies and the head of the README."""
        from inarch_project.structure import gather

        return await gather(situation)


@inarch.hookimpl
def inarch_context_sources(context: inarch.PluginContext) -> Iterable[inarch.ContextSource]:
    """Return the sources."""
    return [ChangesUndone(), CommandsRan(), Mentions(), ProjectStructure()]
