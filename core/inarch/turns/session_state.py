"""What turns of one session share: its parts, what it knows of models, what was said, seen and spent."""

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
from inarch.plugins.composition import Bound
from inarch.turns.ledger import Ledger
from inarch.turns.meter import Repeats
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
    """The words of one session that wait: kept before they are accepted, in order, and each ends once; for any thread.

    Args:
        journal: Keeps them.
        waiting: Those of a kept session, oldest first.
        turn_id: The turn that runs; empty for none.
    """

    journal: Journal
    waiting: list[Input] = field(factory=list)
    turn_id: str = ""
    _loop: asyncio.AbstractEventLoop | None = field(init=False, default=None)
    _lock: threading.Lock = field(init=False, factory=threading.Lock)

    def begin(self, turn_id: str) -> None:
        """Note which turn runs from now on."""
        self.turn_id, self._loop = turn_id, asyncio.get_running_loop()

    def say(self, text: str, by: str = "") -> Input:
        """Keep words and let them wait.

        Raises:
            UsageError: There are none.
            StoreError: The journal is required and could not be kept; they don't wait.
        """
        if not text.strip():
            raise UsageError("there is nothing to say", "say what the model should know")
        from inarch.contract.other_events import InputWaiting

        said = Input(new_id(), self.journal.redactor.text(text), by, self.turn_id)
        turn_id = said.turn_id or None
        try:
            self.journal.keep((InputWaiting(said.id, said.text, by),), turn_id)
        except StoreError:  # what waits in the journal is tried again, and must not come to anything then
            self.journal.keep((_ended(said, "taken_back"),), turn_id, at_once=False)
            raise
        with self._lock:
            self.waiting.append(said)
        self._show()
        return said

    def unsay(self, input_id: str, by: str | None = None) -> Input | None:
        """Take words back that still wait; with `by`, only those of this plugin.

        Raises:
            StoreError: The journal is required and could not be kept; they wait no more all the same.
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
        """Return what goes in before the next request; it is recorded at this place."""
        taken = self._take(self.waiting)
        if taken:
            self.journal.record_all([(_ended(one, "added"), self.turn_id) for one in taken])
        return taken

    def prompt(self, prompt: str, before: Collection[str]) -> tuple[str, list[tuple[InputEnded, None]]]:
        """Return a prompt that begins with what still waits of `before`, and what is recorded before it.

        Raises:
            UsageError: There are no words at all.
        """
        taken = self._take([one for one in self.waiting if one.id in before])
        texts = [one.wording for one in taken] + ([prompt] if prompt.strip() else [])
        if not texts:
            raise empty_prompt()
        return "\n\n".join(texts), [(_ended(one, "prompt"), None) for one in taken]

    def _take(self, wanted: Sequence[Input]) -> Sequence[Input]:
        """Let these wait no more, and return those that did; whoever takes them records what becomes of them."""
        with self._lock:
            taken = [one for one in self.waiting if one in wanted]
            self.waiting = [one for one in self.waiting if one not in taken]
        return taken

    def _show(self) -> None:
        """Tell the listeners where they live."""
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
    """The `Inbox` of one plugin: what it says is marked as its own."""

    _inputs: Inputs
    _plugin: str

    def say(self, text: str) -> Input:
        """Have words go in before the next request."""
        return self._inputs.say(text, self._plugin)

    def unsay(self, input_id: str) -> bool:
        """Take words back; whether they were still waiting."""
        return self._inputs.unsay(input_id, self._plugin) is not None


def empty_prompt() -> UsageError:
    """Return the error of a prompt without words."""
    return UsageError("the prompt is empty", 'say what you want, as in inarch "summarize this codebase"')


def _ended(said: Input, outcome: Literal["added", "prompt", "taken_back"]) -> InputEnded:
    from inarch.contract.other_events import InputEnded

    return InputEnded(said.id, outcome, said.text, said.by)


_OF_THE_WORKSPACE = frozenset({"command.ran", "changes.undone", "file.changed"})
_ASKED = frozenset({"decision.made", "model.requested"})


@define(eq=False, repr=False)
class BetweenTurns:
    """The events of no turn until a turn has got past its sources, so that what one was stopped before is not lost."""

    events: list[Event] = field(init=False, factory=list)

    def saw(self, event: Event) -> None:
        """Keep what a person ran or took back, which files that changed, and what plugins recorded."""
        if event.turn_id is not None:
            if event.kind in _ASKED:
                # From here on the sources have had their say about these.
                self.events.clear()
        elif event.kind in _OF_THE_WORKSPACE or is_plugins(event.kind):
            self.events.append(event)

    def to_data(self) -> Any:
        """Return them as plain JSON data, for `go_on_from`."""
        return [(one.seq, one.time, one.session_id, one.turn_id, one.kind, one.data) for one in self.events]

    def go_on_from(self, data: Any) -> None:
        """Take over what `to_data` gave."""
        self.events = [Event(*one) for one in data]


@frozen(eq=False, repr=False)
class SessionParts(ComposedModels):
    """The composed parts that a turn works with.

    Args:
        models: The composed providers.
        environ: Where keys are.
        workspace: What tools work on.
        pacer: Spaces the requests of all sessions.
        sources: What adds to prompts, in this order.
        find_strategies: Returns the composed strategies of these names.
        compactions: What makes a conversation shorter that is too long, in this order.
        end_guards: What may hold back the end of a turn, in this order.
        tracers: What sums up a turn.
        extensions: What plugins add to sessions.
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
    """What a session knows of the models that it asks, by their full names where it is about one.

    Args:
        hiding: Takes secrets out of requests.
        counter: Counts the tokens of all requests of the session.
        prefix: What services were sent.
        refused: Tokens that were too many for a model, if its service said so.
    """

    hiding: Hiding
    counter: TokenCounter
    prefix: Prefix = field(factory=Prefix)
    refused: dict[str, int] = field(factory=dict)
    _noted: set[tuple[str, str]] = field(init=False, factory=set)

    def is_new(self, what: Literal["service", "price", "effort"], model: str) -> bool:
        """Whether this was not asked about a model before: a person reads each remark once a session."""
        known = len(self._noted)
        self._noted.add((what, model))
        return len(self._noted) > known


@define(eq=False, repr=False)
class SessionState:
    """The state of a session between turns.

    Args:
        config: The profile's keys as they are now.
        parts: What was composed.
        tools: The tools that there are.
        strategies: What decides, in this order.
        make_scheduler: Makes what runs calls, when it is first needed: after a reply that has some, most often.
        journal: Where everything is recorded.
        seen: Hashes of the files that the model knows.
        ledger: What all requests of the session came to.
        between: What happened since a model was last asked.
        asked: What is known of the models.
        instructions: The project's.
        turns: The agent's turns.
        history: What the model sees of each turn that is over, oldest first; `gone` is how many before it sees no more.
        branch: Where a child session comes from; None for any other.
        above: What a child spends from, too: the turn whose call runs it.
        meter: What the turn that runs may spend.
        inputs: What was said beside prompts and waits.
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
    history: list[EarlierTurn] = field(factory=list)
    gone: int = 0
    effectful_calls: int = 0
    branch: Branch | None = None
    above: Meter | None = None
    meter: Meter | None = None
    repeats: Repeats = field(factory=Repeats)

    @cached_property
    def scheduler(self) -> Scheduler:
        """What runs the session's calls."""
        return self.make_scheduler()

    def take_late_tools(self) -> None:
        """Let calls reach the tools that have come.

        Raises:
            PluginError: A plugin failed to say which, or brought something else.
        """
        if new := self.tools.take_late():
            self.scheduler.tools.update(new)

    def go_on_with(self, history: Sequence[EarlierTurn]) -> None:
        """Let this be what the model sees of earlier turns; of one that is dropped nothing is held."""
        self.history[:] = [said for said in history if said.form != "dropped"]
        self.gone += len(history) - len(self.history)

    def earlier_messages(self) -> list[Message]:
        """Return what the model sees of earlier turns."""
        return [message for said in self.history for message in said.messages]
