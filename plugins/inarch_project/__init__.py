"""project: what a prompt mentions with `@`, and the structure of the repository, are in the model's context."""

from __future__ import annotations

from collections.abc import Iterable

import inarch


class Mentions:
    """The context source for `@` mentions; `\\ ` stands for a space in a path."""

    name = "mentions"

    async def gather(self, situation: inarch.Situation) -> inarch.Contribution | None:
        """Return the calls that read what was mentioned, and a note on what could not be."""
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
    return [Mentions(), ProjectStructure()]
