"""The flags that the program and its commands share; given before a command they are defaults for the ones after it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Decorated = TypeVar("Decorated", bound="Callable[..., Any] | click.Command")


def _without(ctx: click.Context, _: click.Parameter, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return what is left out; a command can't do without the built-in part that it is of.

    Raises:
        UsageError: It is to.
    """
    if names:
        from inarch.contract.guard import left_out
        from inarch.program.groups import own_commands

        words = ctx.command_path.partition(" ")[2]
        found = own_commands().get(words) or own_commands().get(words.partition(" ")[0])  # one that its group holds
        if found is not None and f"no:{found.part}" in names:
            raise left_out(f"inarch {words}", found.part)
    return names


_COMPOSING: tuple[tuple[tuple[str, ...], dict[str, Any]], ...] = (
    (("--profile",), {"metavar": "NAME", "help": "Profile of the configuration."}),
    (("--model",), {"metavar": "PROVIDER/NAME", "help": "Model to use. auto picks one."}),
    (("--root",), {"metavar": "DIR", "help": "Work in this directory instead of the current one."}),
    (
        ("--add-dir", "added"),
        {"metavar": "DIR", "multiple": True, "help": "Also work in this directory."},
    ),
    (
        ("--approve",),
        {"type": click.Choice(["ask", "edits", "all", "plan", "none"]), "help": "Calls that run without asking you."},
    ),
    (
        ("-p", "without"),
        {"metavar": "no:NAME", "multiple": True, "callback": _without, "help": "Leave a plugin out."},
    ),
    (("--plugin", "files"), {"metavar": "FILE", "multiple": True, "help": "Add a plugin from a Python file."}),
)
_EFFORTS = ["minimal", "low", "medium", "high", "max"]  # `Effort`, which the help needn't import
_TURN: tuple[tuple[tuple[str, ...], dict[str, Any]], ...] = (
    (("--output",), {"metavar": "text|json|jsonl|NAME", "help": "Output format, or NAME of a plugin's front end."}),
    (("--session",), {"metavar": "ID", "help": "Continue a session, by name, id or start of the id."}),
    (("--name",), {"metavar": "NAME", "help": "Name of the new session, for --session."}),
    (("--continue", "resume"), {"is_flag": True, "help": "Continue the latest session of this directory."}),
    (("--max-iterations",), {"type": click.IntRange(min=1), "metavar": "N", "help": "Maximum requests in a turn."}),
    (("--max-cost",), {"metavar": "USD", "help": "Maximum cost of a turn in US dollars."}),
    (("--effort",), {"type": click.Choice(_EFFORTS), "help": "Thinking effort of the model."}),
    (("--output-schema",), {"metavar": "FILE", "help": "Answer in JSON that matches this JSON Schema."}),
    (("--no-journal",), {"is_flag": True, "help": "Write no record to disk."}),
)
_ASKING: tuple[tuple[tuple[str, ...], dict[str, Any]], ...] = (
    (("--long",), {"is_flag": True, "help": "Ask for a full answer: adds 'in full' to the prompt."}),
)
_SHOWING: tuple[tuple[tuple[str, ...], dict[str, Any]], ...] = (
    (("--quiet",), {"is_flag": True, "help": "Print only the answer and errors."}),
    (("--no-color",), {"is_flag": True, "help": "No colours, like NO_COLOR."}),
    (("--debug",), {"is_flag": True, "help": "Print tracebacks instead of one-line errors."}),
)


def _options(
    *groups: tuple[tuple[tuple[str, ...], dict[str, Any]], ...],
) -> Callable[[Decorated], Decorated]:
    def add(decorated: Decorated) -> Decorated:
        for names, settings in reversed([item for group in groups for item in group]):
            decorated = click.option(*names, **settings)(decorated)
        return decorated

    return add


all_options = _options(_COMPOSING, _TURN, _SHOWING)
asking_options = _options(_COMPOSING, _TURN, _ASKING, _SHOWING)
composing_options = _options(_COMPOSING, _SHOWING)
showing_options = _options(_SHOWING)
