"""The `/NAME` of a conversation, and what it may use while it runs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, runtime_checkable

from inarch.contract.frozen import frozen
from inarch.contract.records import ToolResult


@runtime_checkable
class SlashContext(Protocol):
    """The conversation, as a slash command may use it while it runs."""

    @property
    def session_id(self) -> str:
        """The session in which the command was typed."""
        ...

    @property
    def columns(self) -> int:
        """How wide the screen is."""
        ...

    def extension(self, name: str) -> Any:
        """Return what a plugin adds to the session, as `Session.extension` does.

        Raises:
            UsageError: No plugin brings it.
        """
        ...

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Run a tool as if a model had called it: policies judge it, the person is asked, undo takes it back.

        A tool that fails, is denied or is not there is a result with an error. The model doesn't see the call.

        Raises:
            StoreError: The journal is required and could not be kept.
        """
        ...

    def show(self, text: str) -> None:
        """Show text at once; what `run` returns is shown at its end."""
        ...

    def record(self, name: str, data: Mapping[str, Any]) -> None:
        """Record an event of a kind that the plugin declares with `inarch_events`.

        Raises:
            ValueError: The plugin declares no such kind, or the data is not as its schema says.
        """
        ...

    def submit(self, prompt: str) -> None:
        """Have a prompt run once the command has ended, as if the person had typed it; one that fails submits none."""
        ...


@frozen
class SlashCommand:
    """A `/NAME` of the conversation: `run(words)` returns what to show; with a parameter `context` it gets one.

    Args:
        name: Its name, without the slash.
        help: What it does, in a line.
        run: Does it.
        words: What may follow the name, for people, such as `[TURN]`.
        at_once: Whether it may run beside a turn, because it only tells: it can't call tools.
    """

    name: str
    help: str
    run: Callable[..., str | Awaitable[str]]
    words: str = ""
    at_once: bool = False

    def start(self, words: str, context: SlashContext) -> str | Awaitable[str]:
        """Call `run` with what it takes."""
        from inspect import signature

        try:
            takes_context = "context" in signature(self.run).parameters
        except ValueError:  # a function in C without one
            takes_context = False
        return self.run(words, context=context) if takes_context else self.run(words)
