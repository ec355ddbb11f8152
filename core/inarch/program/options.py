"""Flags that the program and its commands share; flags before a command are defaults for those after it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

import click

from inarch.contract.errors import UsageError
from inarch_sdk.modes import NAMES

Decorated = TypeVar("Decorated", bound="Callable[..., Any] | click.Command")


BARE = "\0"
"""Value of an `OptionalValue` that was given without one; no argument can contain it."""
PRINTS = "inarch.prints"
"""Key of the context's `meta`: `-p` asks for one answer."""


class OptionalValue(click.Option):
    """Option that takes the next word only if it is a value: `no:NAME`, or a word without spaces."""

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Make the parser put back a word that is not a value."""
        super().add_to_parser(parser, ctx)
        option = parser._short_opt[self.opts[0]]
        process, pattern = option.process, r"no:\S*" if self.name == "without" else r"\S+"

        def choose(value: Any, state: Any) -> None:
            if isinstance(value, str) and not re.fullmatch(pattern, value):
                state.rargs.insert(0, value)
                value = None
            process(value if isinstance(value, str) else BARE, state)

        option.process = choose


def _without(ctx: click.Context, _: click.Parameter, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the plugins to leave out; a bare `-p` sets `PRINTS` in the context's `meta`.

    Raises:
        UsageError: The command's own built-in part is among them, or the command does not answer a prompt.
    """
    if BARE in names:
        if ctx.parent is not None and ctx.command.name not in ("ask", "prompt"):
            said = f"-p prints one answer, which {ctx.command_path} does not do"
            raise UsageError(said, 'write inarch -p "PROMPT"; -p no:NAME leaves a plugin out')
        ctx.meta[PRINTS] = True
        names = tuple(name for name in names if name != BARE)
    if names:
        from inarch.contract.guard import left_out
        from inarch.program.groups import own_commands

        words = ctx.command_path.partition(" ")[2]
        found = own_commands().get(words) or own_commands().get(words.partition(" ")[0])  # one in its group
        if found is not None and found.part and f"no:{found.part}" in names:
            raise left_out(f"inarch {words}", found.part)
    return names


_COMPOSING: tuple[tuple[tuple[str, ...], dict[str, Any]], ...] = (
    (("--profile",), {"metavar": "NAME", "help": "Profile of the configuration."}),
    (("-m", "--model"), {"metavar": "PROVIDER/NAME", "help": "Model, or a family such as claude; auto picks one."}),
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
    (("--plugin", "files"), {"metavar": "FILE", "multiple": True, "help": "Add a plugin from a Python file."}),
)
_OPTIONAL: dict[str, Any] = {"cls": OptionalValue, "is_flag": False, "flag_value": BARE}
_LEAVING_OUT = {**_OPTIONAL, "multiple": True, "callback": _without}
_WITHOUT = ((("-p", "without"), {**_LEAVING_OUT, "metavar": "no:NAME", "help": "Leave a plugin out."}),)
_PRINTING = {**_LEAVING_OUT, "metavar": "[no:NAME]", "help": "Print one answer; no:NAME leaves a plugin out instead."}
_PRINT = ((("-p", "--print", "without"), _PRINTING),)
_EFFORTS = ["minimal", "low", "medium", "high", "max"]  # `Effort`, which the help need not import
_TURN: tuple[tuple[tuple[str, ...], dict[str, Any]], ...] = (
    (("--output",), {"metavar": "text|json|jsonl|NAME", "help": "Front end that shows the run; NAME is a plugin's."}),
    (("--output-format", "output"), {"hidden": True}),
    (("--session",), {"metavar": "ID", "help": "Resume a session (a name, an id or its start)."}),
    (("--name",), {"metavar": "NAME", "help": "Name the new session; --session NAME resumes it."}),
    (("-c", "--continue", "resume"), {"is_flag": True, "help": "Resume the latest session of this directory."}),
    (
        ("-r", "--resume", "session"),
        {**_OPTIONAL, "metavar": "[ID]", "help": "Resume a session, without ID the latest one."},
    ),
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


all_options = _options(_COMPOSING, _WITHOUT, _TURN, _SHOWING)
asking_options = _options(_COMPOSING, _PRINT, _TURN, _ASKING, _SHOWING)
composing_options = _options(_COMPOSING, _WITHOUT, _SHOWING)
showing_options = _options(_SHOWING)
