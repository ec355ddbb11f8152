"""`inarch tour`: the normal conversation with a scripted model, in a copy of the example project that is deleted."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from inarch.commands import ANSWERED, interrupts
from inarch.output import columns_of, is_terminal
from inarch_plugins.tour.example_copy import ExampleCopy
from inarch_plugins.tour.script import PROMPT

WELCOME = f"""\
A tour of Inarch in a minute, without a key. The model is a script: no service is called. All the rest is real.

You work in a copy of an example project, which is deleted when you leave. Ctrl-D leaves at any time. If you deny or
cancel a step, send any prompt to go on.

Its check_schema accepts a table without columns. Type this, then press Enter:

    {PROMPT}

"""
REPLAY = """\
Inarch recorded each step before its effect. It can run the session again from its record, without a model:

    inarch replay tour

"""
PRESS = "Press Enter to replay (Ctrl-D skips it). "
CLOSING = """\
The tour is over, and its copy is deleted. In a project of yours, set the key of a service that you use:

    export ANTHROPIC_API_KEY=your-key
    inarch "fix the failing test"

Without a key, Inarch answers questions from the code. To take the tour again: inarch tour
"""


@click.command("tour", short_help="Try Inarch in a minute, without a key.")
@click.option("--plain", is_flag=True, help="Print the whole tour; needs no keys.")
def tour(plain: bool) -> int:
    """Try Inarch in a minute, without a key.

    A scripted model changes a copy of an example project. You approve, undo and replay with the real keys. Inarch
    neither reads nor changes files of yours. Without a terminal, it prints the tour.
    """
    plain = plain or not (is_terminal(sys.stdin) and is_terminal(sys.stdout))
    with interrupts(_stop, names=("SIGTERM", "SIGHUP")), TemporaryDirectory(prefix="inarch-tour-") as folder:
        copy = ExampleCopy.make(Path(folder))
        _show(WELCOME)
        if plain:
            from inarch_plugins.tour.pressed import converse_plainly

            code = converse_plainly(copy)
        else:
            code = copy.run(*copy.chat)
        if code != ANSWERED:
            return code
        if copy.has_session:
            _show(REPLAY)
            if plain or _is_wanted():
                copy.run(*copy.replay)
    _show(CLOSING)
    return ANSWERED


def _stop(_: int) -> None:
    """Let the copy be deleted before a signal ends the program."""
    raise KeyboardInterrupt


def _is_wanted() -> bool:
    try:
        input(PRESS)
    except (EOFError, KeyboardInterrupt):
        sys.stdout.write("\n")
        return False
    return True


def _show(text: str) -> None:
    """Print paragraphs, each folded to the terminal unless it is indented."""
    columns = columns_of(sys.stdout)
    parts = (part if part.startswith(" ") else textwrap.fill(part, columns) for part in text.rstrip().split("\n\n"))
    sys.stdout.write("\n" + "\n\n".join(parts) + text[len(text.rstrip()) :])
    sys.stdout.flush()
