"""A plugin that uses each door: it moves a call, mends a file after it, and wants a word at the end of a turn."""

from __future__ import annotations

from typing import Any

import inarch

SEEN = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}


class Moving:
    """Moves `old.txt` to `new.txt`, and denies what names `forbidden`."""

    name = "moving"
    timeout_s = 5.0

    def rewrite(self, call: inarch.ToolCall, tool: inarch.Tool, context: inarch.ToolContext) -> inarch.Rewrite | None:
        """Rewrite it."""
        path = str(call.arguments.get("file_path"))
        if path == "wrong.txt":
            raise RuntimeError("never seen such a path")
        if path == "halt.txt":
            return inarch.Rewrite(None, "stop", "halt")
        if "forbidden" in path:
            return inarch.Rewrite(None, "deny", f"{tool.name} must not touch {path}")
        return inarch.Rewrite({**call.arguments, "file_path": "new.txt"}) if path == "old.txt" else None


class Mending:
    """Puts a line below what was written, and says so."""

    name = "mending"

    async def review(self, call: inarch.ToolCall, tool: inarch.Tool, context: inarch.ToolContext) -> Any:
        """Review it."""
        path = str(call.arguments.get("file_path"))
        if "end_line" in call.arguments:
            return inarch.Review("enough", stop=True)
        writes = tool.effects(call.arguments).writes
        context.record("seen", {"text": f"{path}, {len(writes)}"})
        if not writes:
            return f"{path} has {len(context.workspace.read(path).data)} bytes"
        ran = context.workspace.run(
            ["/usr/bin/tee", "-a", path], inarch.Rights(writes=tuple(writes), executes=True), stdin=b"mended\n"
        )
        return f"tee ended with {ran.exit_code}"


class Polite:
    """Wants thanks."""

    name = "polite"

    async def hold(self, ending: inarch.Ending) -> str | None:
        """Hold it back."""
        ending.situation.record("seen", {"text": f"{ending.held} {len(ending.calls)} {ending.answer}"})
        return None if "thank" in ending.answer else f"after {len(ending.calls)} calls say thank you"


@inarch.hookimpl
def inarch_rewriters(context: inarch.PluginContext) -> Any:
    return [Moving()]


@inarch.hookimpl
def inarch_reviewers(context: inarch.PluginContext) -> Any:
    return [Mending()]


@inarch.hookimpl
def inarch_end_guards(context: inarch.PluginContext) -> Any:
    return [Polite()]


@inarch.hookimpl
def inarch_events(context: inarch.PluginContext) -> Any:
    return [inarch.EventKind("seen", "Something was seen.", SEEN)]
