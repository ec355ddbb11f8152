"""Flags that the program and its commands share; flags before a command are defaults for those after it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from inarch_sdk.modes import NAMES

Decorated = TypeVar("Decorated", bound="Callable[..., Any] | click.Command")


def _without(ctx: click.Context, _: click.Parameter, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the plugins to leave out; a command cannot leave out its own built-in part.

    Raises:
        UsageError: It is among them.
    """
    if names:
        from inarch.contract.guard import left_out
        from inarch.program.groups import own_commands

        words = ctx.command_path.partition(" ")[2]
        found = own_commands().get(words) or own_commands().get(words.partition(" ")[0])  # one in its group
        if found is not None and f"no:{found.part}" in names:
            raise left_out(f"inarch {words}", found.part)
    return names


_COMPOSING: tuple[tuple[tuple[str, ...], dict[str, Any]], ...] = (
    (("--profile",), {"metavar": "NAME", "help": "Profile of the configuration."}),
    (("--model",), {"metavar": "PROVIDER/NAME", "help": "Model to ask; auto picks one."}),
    (("--root",), {"metavar": "DIR", "help": "Work in this directory instead of the current one."}),
    (
        ("--add-dir", "added"),
        {"metavar": "DIR", "multiple": True, "help": "Read and change files of this directory, too."},
    ),
    (
        ("--approve",),
        {"type": click.Choice(NAMES), "help": "Calls that run without a question."},
    ),
    (
        ("--yolo", "--dangerously-skip-permissions", "approve"),
        {"flag_value": "bypass", "default": None, "help": "The same as --approve bypass: no sandbox, no questions."},
    ),
    (
        ("-p", "without"),
        {"metavar": "no:NAME", "multiple": True, "callback": _without, "help": "Leave a plugin out."},
    ),
    (("--plugin", "files"), {"metavar": "FILE", "multiple": True, "help": "Add a plugin from a Python file."}),
)
_EFFORTS = ["minimal", "low", "medium", "high", "max"]  # `Effort`, which the help need not import
_TURN: tuple[tuple[tuple[str, ...], dict[str, Any]], ...] = (
    (("--output",), {"metavar": "text|json|jsonl|NAME", "help": "Front end that shows the run; NAME is a plugin's."}),
    (("--session",), {"metavar": "ID", "help": "Resume a session (a name, an id or its start)."}),
    (("--name",), {"metavar": "NAME", "help": "Name the new session; --session NAME resumes it."}),
    (("--continue", "resume"), {"is_flag": True, "help": "Resume the latest session of this directory."}),
    (("--max-iterations",), {"type": click.IntRange(min=1), "metavar": "N", "help": "Maximum requests of a turn."}),
    (("--max-cost",), {"metavar": "USD", "help": "Maximum cost of a turn."}),
    (("--effort",), {"type": click.Choice(_EFFORTS), "help": "How much the model thinks before it answers."}),
    (("--output-schema",), {"metavar": "FILE", "help": "JSON Schema of the answer, which is then JSON."}),
    (("--no-journal",), {"is_flag": True, "help": "Store no record on disk."}),
)
_ASKING: tuple[tuple[tuple[str, ...], dict[str, Any]], ...] = (
    (("--apply",), {"type": click.Choice(["none", "clean", "all"]), "help": "Changes to apply after a review."}),
    (("--goal",), {"metavar": "TEXT", "help": "Work until this goal is met; takes the place of the prompt."}),
    (("--goal-check",), {"metavar": "CMD", "help": "The goal is met when this command exits with 0."}),
    (("--long",), {"is_flag": True, "help": "A full answer: appends 'in full' to the prompt."}),
)
_SHOWING: tuple[tuple[tuple[str, ...], dict[str, Any]], ...] = (
    (("--quiet",), {"is_flag": True, "help": "The answer only."}),
    (("--no-color",), {"is_flag": True, "help": "No colors; so does NO_COLOR."}),
    (("--plain",), {"is_flag": True, "help": "Whole sentences for screen readers; nothing is redrawn."}),
    (("--debug",), {"is_flag": True, "help": "Tracebacks instead of one-line errors."}),
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
