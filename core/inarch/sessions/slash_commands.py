"""Slash commands `/NAME words` that the user typed at any front end: their context, execution and record."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from inspect import isawaitable
from typing import TYPE_CHECKING, Any

from attrs import define, field

from inarch.contract.errors import InarchError, PluginError, StoreError, UsageError
from inarch.contract.events import ErrorHappened
from inarch.contract.guard import guarded
from inarch.contract.other_events import CommandRan
from inarch.contract.records import ToolResult
from inarch.contract.slash_commands import Completion, SlashCommand, Submitted, split_slash_command
from inarch_lib.output.escapes import escape
from inarch_sdk.suggestions import nearest

if TYPE_CHECKING:
    from inarch.plugins.composition import Composition
    from inarch.plugins.registration import Bound
    from inarch.sessions.parts import Parts
    from inarch.sessions.session import Session


@define(eq=False, repr=False)
class CommandContext:
    """`SlashContext` of one command; while completing arguments it refuses all actions."""

    session: Session
    command: Bound[SlashCommand]
    shows: Callable[[str], object]
    columns: int
    line: str = ""
    is_completing: bool = False
    prompts: list[str] = field(init=False, factory=list)
    _model: str = field(init=False, default="")

    @property
    def session_id(self) -> str:
        """The session in which the command was typed."""
        return self.session.id

    @property
    def approve(self) -> str:
        """The session's approval mode."""
        return self.session.approve

    def set_approve(self, level: str) -> None:
        """Set the approval mode from now on."""
        self._needs_running()
        self.session.set_approve(level)

    def extension(self, name: str) -> Any:
        """Return an extension of the session."""
        return self.session.extension(name)

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Run a tool in the session, outside of its turns."""
        self._needs_running()
        if self.command.value.at_once and self.session.state.inputs.turn_id:
            raise RuntimeError("a command with at_once may run beside a turn, so it can't call tools")
        return await self.session.call_tool(tool, arguments, origin="slash")

    def show(self, text: str) -> None:
        """Show text at once, escaped."""
        self.shows(escape(text).rstrip("\n"))

    def record(self, name: str, data: Mapping[str, Any]) -> None:
        """Record an event of a kind that the plugin declares."""
        self._needs_running()
        state = self.session.state
        state.journal.record(state.scheduler.events.checked(self.command.plugin, name, data))

    def ask_model(self, name: str) -> None:
        """Use this model in the turns of prompts submitted from here on."""
        self._needs_running()
        state = self.session.state
        state.parts.choose(name).check_key()
        self._model = name

    def submit(self, prompt: str, max_cost_usd: Decimal | None = None) -> None:
        """Store a prompt until the command ends."""
        self._needs_running()
        if not isinstance(prompt, str):
            raise TypeError(f"prompt must be str, not {type(prompt).__name__}")
        if not prompt.strip():
            raise ValueError("the submitted prompt is empty")
        self.prompts.append(Submitted(prompt, self._model, "command", max_cost_usd, self.line))

    def _needs_running(self) -> None:
        if self.is_completing:
            raise RuntimeError("while completing arguments a command can't call tools, record or submit")


async def run_command(
    parts: Parts, session: Session, line: str, show: Callable[[str], object], columns: int
) -> tuple[str, ...]:
    """Run a slash command, as `App.command` documents."""
    name, words = split_slash_command(line) or ("", line)
    composition = parts.composition
    bound = composition.slash_commands.get(name)
    state, failure, told = session.state, None, ""
    context = CommandContext(session, bound, show, columns, line) if bound is not None else None
    try:
        told = escape(await _told(composition, name, words, context)).rstrip("\n")
    except PluginError as error:
        state.journal.record(ErrorHappened(error.message, error.remedy, error.plugin, error.door))
        told, context = error.message, None  # a failed command submits no prompts
    except StoreError:
        raise  # nothing can be stored now
    except (InarchError, asyncio.CancelledError) as error:
        failure, told = error, str(error) or "cancelled"
    else:
        if told:
            show(told)
    if not parts.is_closed:  # otherwise the command has replaced it by another application
        state.journal.record(CommandRan(name, words, told))
        if bound is None or not _is_own(composition, bound) or (state.turns and not bound.value.at_once):
            state.journal.flush()  # no turn may follow that would do it
    if failure is not None:
        raise failure
    return tuple(context.prompts) if context is not None else ()


async def completions_of(composition: Composition, session: Session, line: str, columns: int) -> Sequence[Completion]:
    """Return completions, as `App.completions` documents."""
    commands = composition.slash_commands
    name, space, words = line.removeprefix("/").partition(" ")
    if not space:
        return sorted((known, one.value.help) for known, one in commands.items())
    bound = commands.get(name)
    if bound is None or bound.value.complete is None:
        return ()
    context = CommandContext(session, bound, lambda text: None, columns, is_completing=True)
    try:
        with guarded(bound.plugin, "command"):
            rows = await asyncio.to_thread(bound.value.offer, words.lstrip(), context)
            return [(str(word), str(said)) for word, said in (await rows if isawaitable(rows) else rows)]
    except InarchError:
        return ()  # what cannot be offered can be typed


async def _told(composition: Composition, name: str, words: str, context: CommandContext | None) -> str:
    if context is None:
        near = nearest(f"/{name}", [f"/{known}" for known in composition.slash_commands])
        raise UsageError(f"there is no command /{name}", near)
    passes: tuple[type[InarchError], ...] = (InarchError,) if _is_own(composition, context.command) else (StoreError,)
    with guarded(context.command.plugin, "command", passes=passes):
        given = context.command.value.start(words, context)
        text: object = await given if isawaitable(given) else given
        if not isinstance(text, str):
            raise TypeError(f"/{name} gave {text!r:.60}, not the text to show")
        return text


def _is_own(composition: Composition, bound: Bound[SlashCommand]) -> bool:
    return bound.plugin in composition.builtins
