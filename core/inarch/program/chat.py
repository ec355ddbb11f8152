"""`inarch chat`, or `inarch` alone on a terminal: a line, a turn, in one session."""

from __future__ import annotations

from typing import Any

import click

from inarch.program.options import all_options


@click.command("chat")
@all_options
def chat(**given: Any) -> int:
    """Talk in one session: Ctrl-C cancels a turn, Ctrl-D leaves."""
    from inarch.program.composer import Options

    options = Options.of(given)
    from inarch.program.chat_launch import converse

    return converse(options)
