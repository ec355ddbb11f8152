"""The `/NAME` of a conversation, and what it may use while it runs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, Protocol, TypeVar, runtime_checkable

from inarch.contract.frozen import frozen
from inarch.contract.records import PromptMode, ToolResult

T = TypeVar("T")
Completion = tuple[str, str]
"""What the last word of a command's line can become, and what that means."""


@runtime_checkable
class SlashContext(Protocol):
    """Conversation as a running slash command may use it."""

    @property
    def session_id(self) -> str:
        """The session in which the command was typed."""

    @property
    def columns(self) -> int:
        """How wide the screen is."""

    @property
    def approve(self) -> str:
        """The session's approve mode."""

    def set_approve(self, level: str) -> None:
        """Let another approve mode hold from now on, as `Session.set_approve` does: the person typed the command.

        Raises:
            UsageError: There is no such mode.
        """

    def extension(self, name: str) -> Any:
        """Return what a plugin adds to the session, as `Session.extension` does.

        Raises:
            UsageError: No plugin brings it.
        """

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Run a tool as if a model had called it: policies judge it, the person is asked, undo takes it back.

        A tool that fails, is denied or is not there is a result with an error. The model doesn't see the call.

        Raises:
            StoreError: The journal is required and could not be kept.
        """

    def show(self, text: str) -> None:
        """Show text at once; what `run` returns is shown at its end."""

    def record(self, name: str, data: Mapping[str, Any]) -> None:
        """Record an event of a kind that the plugin declares with `inarch_events`.

        Raises:
            ValueError: The plugin declares no such kind, or the data is not as its schema says.
        """

    def submit(self, prompt: str) -> None:
        """Have a prompt run once the command has ended, as if the person had typed it; one that fails submits none."""

    def ask_model(self, name: str) -> None:
        """Have another model than the session's asked in the turns of what is submitted from here on.

        Args:
            name: As `Session.set_model` takes it.

        Raises:
            ConfigError: No composed plugin provides it, or its key is not there.
        """


class Submitted(str):
    """Prompt with more than its text. Front ends hand it on as it is.

    Args:
        text: The words.
        model: The model of its turn, empty for the session's.
        mode: How the person gave it.
    """

    model: str
    mode: PromptMode

    def __new__(cls, text: str, model: str = "", mode: PromptMode = "text") -> Submitted:
        """Return the words with what is known of them."""
        made = super().__new__(cls, text)
        made.model, made.mode = model, mode
        return made


@frozen
class SlashCommand:
    """`/NAME` of a conversation. `run(words)` returns the text to show; with a parameter `context` it gets one.

    Args:
        name: Its name, without the slash.
        help: What it does, in a line.
        run: Does it.
        words: What may follow the name, for people, such as `[TURN]`.
        at_once: Whether it may run beside a turn, because it only tells: it can't call tools.
        complete: Returns what the words typed so far can become, as pairs of the last word and what it means; takes
            what `run` takes, and is called in a thread; it can't call tools, record or submit.
        picks: Whether a person who sends it without words picks them from what `complete` returns, where a front end
            can show a list; elsewhere it runs without words.
        asks: Whether all that it does is to submit a prompt, such as one that a person keeps in a file: then
            `inarch "/NAME words"` runs it, too, and it gives way to any other command of its name.
        key: A key that runs it without words, where a front end has keys: `s-tab` is free in the terminal.
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
        """Call `run` with what it takes."""
        return _called(self.run, words, context)

    def offer(self, words: str, context: SlashContext) -> Iterable[Completion] | Awaitable[Iterable[Completion]]:
        """Call `complete` with what it takes; without one there is nothing to offer."""
        return () if self.complete is None else _called(self.complete, words, context)


def _called(function: Callable[..., T], words: str, context: SlashContext) -> T:
    from inspect import signature

    try:
        takes_context = "context" in signature(function).parameters
    except ValueError:  # a function in C without one
        takes_context = False
    return function(words, context=context) if takes_context else function(words)


def split_slash_command(line: str) -> tuple[str, str] | None:
    """Return name and arguments of a line that is a `/NAME words`, None if it is a prompt.

    A path such as /etc/hosts, or // at the start of a comment, is no command.
    """
    if not line.lstrip().startswith("/"):
        return None
    import re

    found = re.fullmatch(r"/([A-Za-z0-9][A-Za-z0-9_.:-]*)(?:\s+(.*))?", line.strip(), re.S)
    return None if found is None else (found[1], (found[2] or "").strip())
