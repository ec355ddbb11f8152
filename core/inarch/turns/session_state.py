"""State shared by the turns of one session: its parts, models, messages, known files and usage."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from attrs import define, field, frozen

from inarch.calls.offered_tools import OfferedTools
from inarch.config.config import Config
from inarch.contract.compaction import EarlierTurn
from inarch.contract.errors import StoreError, UsageError
from inarch.contract.event_parts import is_plugins
from inarch.contract.events import Event
from inarch.contract.ids import new_id
from inarch.contract.inputs import Input
from inarch.contract.ports import ContextSource, DecisionStrategy, Tracer
from inarch.contract.records import Message, Turn
from inarch.contract.session_extensions import SessionExtension
from inarch.contract.workspaces import Workspace
from inarch.journal.journal import Journal
from inarch.plugins.registration import Bound
from inarch.turns.ledger import Ledger
from inarch.turns.models import ComposedModels
from inarch.turns.prefix import Hiding, Prefix
from inarch.turns.token_count import TokenCounter

if TYPE_CHECKING:
    from inarch.calls.scheduler import Scheduler
    from inarch.contract.compaction import Compaction
    from inarch.contract.event_parts import Branch
    from inarch.contract.interventions import EndGuard
    from inarch.contract.other_events import InputEnded
    from inarch.contract.replacements import Pacing
    from inarch.turns.meter import Meter


@define(eq=False, repr=False)
class Inputs:
    """Waiting messages of one session, usable from any thread.

    A message is stored before it is accepted. Messages stay in order, and each ends once.

    Args:
        journal: Stores them.
        waiting: Those of a stored session, oldest first.
        turn_id: The running turn; empty for none.
    """

    journal: Journal
    waiting: list[Input] = field(factory=list)
    turn_id: str = ""
    _loop: asyncio.AbstractEventLoop | None = field(init=False, default=None)
    _lock: threading.Lock = field(init=False, factory=threading.Lock)

    def begin(self, turn_id: str) -> None:
        """Set the running turn."""
        self.turn_id, self._loop = turn_id, asyncio.get_running_loop()

    def say(self, text: str, by: str = "") -> Input:
        """Store a message and let it wait.

        Raises:
            UsageError: It is empty.
            StoreError: The journal is required and could not be stored; the message does not wait.
        """
        if not text.strip():
            raise UsageError("there is nothing to say", "say what the model should know")
        from inarch.contract.other_events import InputWaiting

        said = Input(new_id(), self.journal.redactor.text(text), by, self.turn_id)
        turn_id = said.turn_id or None
        try:
            self.journal.keep((InputWaiting(said.id, said.text, by),), turn_id)
        except StoreError:  # a message waiting in the journal is retried, and must not take effect then
            self.journal.keep((_ended(said, "taken_back"),), turn_id, at_once=False)
            raise
        with self._lock:
            self.waiting.append(said)
        self._show()
        return said

    def unsay(self, input_id: str, by: str | None = None) -> Input | None:
        """Withdraw a message that still waits; with `by`, only one from this plugin.

        Raises:
            StoreError: The journal is required and could not be stored; the message no longer waits anyway.
        """
        with self._lock:
            found = next((one for one in self.waiting if one.id == input_id and by in (None, one.by)), None)
            if found is not None:
                self.waiting.remove(found)
        if found is not None:
            self.journal.keep((_ended(found, "taken_back"),), self.turn_id or None)
            self._show()
        return found

    def add_to_turn(self) -> Sequence[Input]:
        """Return the messages to add before the next request; they are recorded at this position."""
        taken = self._take(self.waiting)
        if taken:
            self.journal.record_all([(_ended(one, "added"), self.turn_id) for one in taken])
        return taken

    def prompt(self, prompt: str, before: Collection[str]) -> tuple[str, list[tuple[InputEnded, None]]]:
        """Return a prompt that begins with the waiting messages of `before`, and the events to record before it.

        Raises:
            UsageError: All of it is empty.
        """
        taken = self._take([one for one in self.waiting if one.id in before])
        texts = [one.wording for one in taken] + ([prompt] if prompt.strip() else [])
        if not texts:
            raise empty_prompt()
        return "\n\n".join(texts), [(_ended(one, "prompt"), None) for one in taken]

    def _take(self, wanted: Sequence[Input]) -> Sequence[Input]:
        """Stop these from waiting, and return those that waited; the caller records their outcome."""
        with self._lock:
            taken = [one for one in self.waiting if one in wanted]
            self.waiting = [one for one in self.waiting if one not in taken]
        return taken

    def _show(self) -> None:
        """Notify the listeners on their loop."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            if self._loop is not None and not self._loop.is_closed():
                # Listeners belong to the loop, and this may be any thread.
                self._loop.call_soon_threadsafe(self.journal.show)
                return
        self.journal.show()


@define(eq=False, repr=False)
class PluginInbox:
    """`Inbox` of one plugin, which marks its messages as the plugin's."""

    _inputs: Inputs
    _plugin: str

    def say(self, text: str) -> Input:
        """Add a message before the next request."""
        return self._inputs.say(text, self._plugin)

    def unsay(self, input_id: str) -> bool:
        """Withdraw a message; return whether it was still waiting."""
        return self._inputs.unsay(input_id, self._plugin) is not None


def empty_prompt() -> UsageError:
    """Return the error for an empty prompt."""
    return UsageError("the prompt is empty", 'say what you want, as in inarch "summarize this codebase"')


def _ended(said: Input, outcome: Literal["added", "prompt", "taken_back"]) -> InputEnded:
    from inarch.contract.other_events import InputEnded

    return InputEnded(said.id, outcome, said.text, said.by)


_OF_THE_WORKSPACE = frozenset({"command.ran", "changes.undone", "file.changed"})
_ASKED = frozenset({"decision.made", "model.requested"})


@define(eq=False, repr=False)
class BetweenTurns:
    """Events outside turns, stored until a turn has passed its sources, so that a stopped turn loses none."""

    events: list[Event] = field(init=False, factory=list)

    def saw(self, event: Event) -> None:
        """Store commands and reverts of the user, files that these changed, and plugins' records."""
        if event.turn_id is not None:
            if event.kind in _ASKED:
                # From here on the sources have seen these.
                self.events.clear()
        elif event.kind in _OF_THE_WORKSPACE or is_plugins(event.kind):
            self.events.append(event)

    def to_data(self) -> Any:
        """Return them as plain JSON data, for `go_on_from`."""
        return [(one.seq, one.time, one.session_id, one.turn_id, one.kind, one.data) for one in self.events]

    def go_on_from(self, data: Any) -> None:
        """Restore them from the data of `to_data`."""
        self.events = [Event(*one) for one in data]


@frozen(eq=False, repr=False)
class SessionParts(ComposedModels):
    """Composed parts that a turn uses.

    Args:
        models: The composed providers.
        environ: Source of keys.
        workspace: The workspace of the tools.
        pacer: Paces the requests of all sessions.
        sources: Context sources, in this order.
        find_strategies: Returns the composed strategies of these names.
        compactions: Compactions, in this order.
        end_guards: End guards, in this order.
        tracers: Tracers, which summarise a turn.
        extensions: Session extensions.
        runners: The tools that run command lines.
    """

    workspace: Workspace
    pacer: Pacing
    sources: Sequence[Bound[ContextSource]]
    find_strategies: Callable[[Sequence[str]], Sequence[Bound[DecisionStrategy]]]
    compactions: Sequence[Bound[Compaction]]
    end_guards: Sequence[Bound[EndGuard]]
    tracers: Sequence[Bound[Tracer]]
    extensions: Mapping[str, Bound[SessionExtension]]
    runners: Collection[str]


@define(eq=False, repr=False)
class AskedModels:
    """Session's knowledge of the models that it asks, by full name if it is about one model.

    Args:
        hiding: Redacts requests.
        counter: Counts the tokens of all requests of the session.
        prefix: Prefixes sent to services.
        refused: Tokens that were too many for a model, if its service said so.
        blind: Models that refused a picture.
    """

    hiding: Hiding
    counter: TokenCounter
    prefix: Prefix = field(factory=Prefix)
    refused: dict[str, int] = field(factory=dict)
    blind: set[str] = field(factory=set)
    _noted: set[tuple[str, str]] = field(init=False, factory=set)

    def is_new(self, what: Literal["service", "price", "effort"], model: str) -> bool:
        """Return whether this is the first check for a model: the user sees each remark once a session."""
        known = len(self._noted)
        self._noted.add((what, model))
        return len(self._noted) > known


@define(eq=False, repr=False)
class SessionState:
    """State of a session between turns.

    Args:
        config: The present keys of the profile.
        parts: The composed parts.
        tools: The available tools.
        strategies: The strategies, in this order.
        make_scheduler: Makes the scheduler when it is first needed, usually after a reply with calls.
        journal: Records everything.
        seen: Hashes of the files that the model knows.
        ledger: Usage of all requests of the session.
        between: Events since a model was last asked.
        asked: Knowledge of the models.
        instructions: The project's.
        turns: The agent's turns.
        history: Finished turns as the model sees them, oldest first; `gone` counts earlier ones, no longer seen.
        branch: Origin of a child session; None for any other.
        above: The turn whose call runs a child, which the child also spends from.
        meter: Spending of the running turn.
        inputs: Waiting messages apart from prompts.
        prompts: The user's own messages, oldest first; a child shares those of the session above.
    """

    config: Config
    parts: SessionParts
    tools: OfferedTools
    strategies: Sequence[Bound[DecisionStrategy]]
    make_scheduler: Callable[[], Scheduler]
    journal: Journal
    seen: dict[str, str]
    ledger: Ledger
    between: BetweenTurns
    asked: AskedModels
    inputs: Inputs
    instructions: str = ""
    turns: list[Turn] = field(factory=list)
    prompts: list[str] = field(factory=list)
    history: list[EarlierTurn] = field(factory=list)
    gone: int = 0
    effectful_calls: int = 0
    branch: Branch | None = None
    above: Meter | None = None
    meter: Meter | None = None

    @cached_property
    def scheduler(self) -> Scheduler:
        """Scheduler of the session's calls."""
        return self.make_scheduler()

    def take_late_tools(self) -> None:
        """Make newly added tools callable.

        Raises:
            PluginError: A plugin failed to list them, or returned something else.
        """
        if new := self.tools.take_late():
            self.scheduler.tools.update(new)

    def go_on_with(self, history: Sequence[EarlierTurn]) -> None:
        """Set the model's view of earlier turns; a dropped turn is released."""
        self.history[:] = [said for said in history if said.form != "dropped"]
        self.gone += len(history) - len(self.history)

    def earlier_messages(self) -> list[Message]:
        """Return the model's view of earlier turns."""
        return [message for said in self.history for message in said.messages]
