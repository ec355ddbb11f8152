"""Slash commands of a conversation, and what they may use while they run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any, Protocol, TypeVar, runtime_checkable

from inarch.contract.frozen import frozen
from inarch.contract.records import PromptMode, ToolResult

T = TypeVar("T")
Completion = tuple[str, str]
"""Completion of the last word of a command's line, and its meaning."""


@runtime_checkable
class SlashContext(Protocol):
    """Access of a running slash command to the conversation."""

    @property
    def session_id(self) -> str:
        """The session in which the command was typed."""

    @property
    def columns(self) -> int:
        """Width of the screen in columns."""

    @property
    def approve(self) -> str:
        """The session's approval mode."""

    def set_approve(self, level: str) -> None:
        """Set the approval mode from now on, as `Session.set_approve` does: the user typed the command.

        Raises:
            UsageError: There is no such mode.
        """

    def extension(self, name: str) -> Any:
        """Return an extension of the session, as `Session.extension` does.

        Raises:
            UsageError: No plugin provides it.
        """

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Run a tool as if a model had called it: policies judge it, Inarch asks the user, undo reverts it.

        A tool that fails, is denied or does not exist is a result with an error. The model does not see the call.

        Raises:
            StoreError: The journal is required and could not store it.
        """

    def show(self, text: str) -> None:
        """Show text at once; the return value of `run` is shown at its end."""

    def record(self, name: str, data: Mapping[str, Any]) -> None:
        """Record an event of a kind that the plugin declares with `inarch_events`.

        Raises:
            ValueError: The plugin declares no such kind, or the data does not match its schema.
        """

    def submit(self, prompt: str, max_cost_usd: Decimal | None = None) -> None:
        """Run a prompt once the command has ended, as if the user had typed it; a failed command submits none.

        Its turn may cost at most `max_cost_usd`, and what the profile allows.
        """

    def ask_model(self, name: str) -> None:
        """Use another model than the session's for the turns of prompts submitted from here on.

        Args:
            name: As `Session.set_model` takes it.

        Raises:
            ConfigError: No composed plugin provides it, or its key is missing.
        """


class Submitted(str):
    """Prompt with additional information; front ends pass it on unchanged.

    Args:
        text: The text.
        model: The model of its turn, empty for the session's.
        mode: How the user gave it.
        max_cost_usd: Maximum cost of its turn beside the profile's.
        typed: The slash command that the user typed, if one wrote the prompt.
    """

    model: str
    mode: PromptMode
    max_cost_usd: Decimal | None
    typed: str

    def __new__(
        cls,
        text: str,
        model: str = "",
        mode: PromptMode = "text",
        max_cost_usd: Decimal | None = None,
        typed: str = "",
    ) -> Submitted:
        """Return the text with its additional information."""
        made = super().__new__(cls, text)
        made.model, made.mode, made.max_cost_usd, made.typed = model, mode, max_cost_usd, typed
        return made


@frozen
class SlashCommand:
    """Command `/NAME` of the conversation; `run(words)` returns what to show, and gets a `context` if it takes one.

    Args:
        name: Its name, without the slash.
        help: Its purpose, in one line.
        run: Does it.
        words: Arguments after the name, for the user, such as `[TURN]`.
        at_once: Whether it may run during a turn, because it only shows something: it cannot call tools then.
        complete: Returns completions of the text typed so far, as pairs of the last word and its meaning. It takes
            what `run` takes, and runs in a thread. It cannot call tools, record or submit.
        picks: Whether a user who sends it without arguments picks them from what `complete` returns, if the front
            end can show a list; otherwise it runs without arguments.
        asks: Whether it only submits a prompt, such as one that the user stores in a file. Then
            `inarch "/NAME words"` runs it, too, and any other command of its name takes precedence.
        key: A key that runs it without arguments, if the front end has keys: `s-tab` is free in the terminal.
    """

    name: str
    help: str
    run: Callable[..., str | Awaitable[str]]
    words: str = ""
    at_once: bool = False
    complete: Callable[..., Iterable[Completion] | Awaitable[Iterable[Completion]]] | None = None
    picks: bool = False
    asks: bool = False
    key: str = ""

    def start(self, words: str, context: SlashContext) -> str | Awaitable[str]:
        """Call `run` with the parameters it takes."""
        return _called(self.run, words, context)

    def offer(self, words: str, context: SlashContext) -> Iterable[Completion] | Awaitable[Iterable[Completion]]:
        """Call `complete` with the parameters it takes; without one, offer nothing."""
        return () if self.complete is None else _called(self.complete, words, context)


def _called(function: Callable[..., T], words: str, context: SlashContext) -> T:
    from inspect import signature

    try:
        takes_context = "context" in signature(function).parameters
    except ValueError:  # a function in C without a signature
        takes_context = False
    return function(words, context=context) if takes_context else function(words)


def split_slash_command(line: str) -> tuple[str, str] | None:
    """Return name and arguments of a line `/NAME words`, known or not; None if it is a prompt.

    A path such as /etc/hosts, or // at the start of a comment, is not a command.
    """
    if not line.lstrip().startswith("/"):
        return None
    import re

    found = re.fullmatch(r"/([A-Za-z0-9][A-Za-z0-9_.:-]*)(?:\s+(.*))?", line.strip(), re.S)
    return None if found is None else (found[1], (found[2] or "").strip())
