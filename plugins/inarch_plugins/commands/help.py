"""`inarch help`: the same text as `--help`."""

from __future__ import annotations

import click

from inarch import UsageError


@click.command("help")
@click.argument("words", nargs=-1, metavar="[COMMAND]...")
@click.option("--all", "everything", is_flag=True, help="List every option and command.")
@click.pass_context
def help_command(ctx: click.Context, words: tuple[str, ...], everything: bool) -> None:
    """Show the help of the program, or of a command."""
    context = ctx.find_root()
    context.meta["inarch.all"] = everything
    for word in words:
        group = context.command
        command = group.get_command(context, word) if isinstance(group, click.Group) else None
        if command is None:
            named = " ".join(words)
            raise UsageError(f"there is no command {named!r}", f"inarch help lists them; inarch ask help {named} asks")
        context = click.Context(command, parent=context, info_name=word)
    click.echo(context.command.get_help(context))
