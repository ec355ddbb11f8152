"""A plugin whose slash command works through a tool, and hands the rest to the model; both record events."""

import inarch


async def note(words: str, context: inarch.SlashContext) -> str:
    """Write a note into the workspace."""
    made = await context.call("write_file", {"file_path": "NOTE.md", "content": f"{words}\n"})
    if not made.success:
        return f"no note: {made.error.message if made.error else made.data}"
    context.record("noted", {"text": f"noted {words}", "size": len(words)})
    context.show("written")
    context.submit(f"what do you say to {words}?")
    return "noted"


def log(words: str, context: inarch.SlashContext) -> str:
    """Record whatever is wanted."""
    name, _, text = words.partition(" ")
    context.record(name, {"text": text, "size": len(text)})
    return "logged"


@inarch.tool(effects=inarch.Effects())
def jot(data: dict[str, object], context: inarch.ToolContext, name: str = "noted") -> str:
    """Record an event.

    Args:
        data: What it says.
        name: Its kind.
    """
    context.record(name, data)
    return "jotted"


@inarch.hookimpl
def inarch_events(context: inarch.PluginContext) -> list[inarch.EventKind]:
    """Return the events that are recorded."""
    members = {"text": {"type": "string"}, "size": {"type": "integer", "minimum": 0}}
    schema = {"type": "object", "required": ["size"], "properties": members}
    return [inarch.EventKind("noted", "A note was written.", schema), inarch.EventKind("any", "Anything at all.")]


@inarch.hookimpl
def inarch_slash_commands(context: inarch.PluginContext) -> list[inarch.SlashCommand]:
    """Return `/note` and `/log`."""
    return [inarch.SlashCommand("note", "Write a note.", note), inarch.SlashCommand("log", "Record.", log)]
