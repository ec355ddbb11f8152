"""A decision strategy that lists the files, without asking a model first, when a prompt mentions files."""

import re

import inarch


class KeptStrategy:
    """Decides about prompts with the word "files"; all others go on to the next strategy."""

    name = "kept-strategy"

    async def decide(self, situation: inarch.Situation) -> inarch.Decision | None:
        """Return a decision, or None to pass on."""
        if not re.search(r"\bfiles?\b", situation.turn.content, re.IGNORECASE):
            return None
        if not any(tool.name == "list_files" for tool in situation.tools):
            return None
        calls = (inarch.PlannedCall("list_files", {}),)
        return inarch.Decision("call_tools", calls, reason="files were mentioned", strategy=self.name)


@inarch.hookimpl
def inarch_strategies(context: inarch.PluginContext) -> list[inarch.DecisionStrategy]:
    """Register the strategy."""
    return [KeptStrategy()]
