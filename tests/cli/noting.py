"""A plugin whose slash command works through a tool, and hands the rest to the model."""

import inarch


async def note(words: str, context: inarch.SlashContext) -> str:
    """Write a note into the workspace."""
    made = await context.call("write_file", {"file_path": "NOTE.md", "content": f"{words}\n"})
    if not made.success:
        return f"no note: {made.error.message if made.error else made.data}"
    context.show("written")
    context.submit(f"what do you say to {words}?")
    return "noted"


@inarch.hookimpl
def inarch_slash_commands(context: inarch.PluginContext) -> list[inarch.SlashCommand]:
    """Return `/note`."""
    return [inarch.SlashCommand("note", "Write a note.", note)]
