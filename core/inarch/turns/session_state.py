"""What turns of one session share: what was said, which files were seen, and the parts that do the work."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from attrs import Factory, define, field

from inarch.calls.offering import GATEWAY
from inarch.config.config import Config
from inarch.contract.compaction import Compaction, EarlierTurn
from inarch.contract.errors import PluginError
from inarch.contract.events import Event
from inarch.contract.guarding import guarded
from inarch.contract.plugin_events import is_plugins
from inarch.contract.ports import ContextSource, DecisionStrategy, Tool, Tracer, Workspace
from inarch.contract.records import Message, ToolSpec, Turn
from inarch.contract.session_extensions import SessionExtension
from inarch.journal.journal import Journal
from inarch.plugins.composition import Bound
from inarch.turns.budget.ledger import Ledger
from inarch.turns.context.counting import TokenCounter
from inarch.turns.context.prefix import Prefix
from inarch.turns.hiding import Hiding
from inarch.turns.inputs import Inputs
from inarch.turns.limits import Repeats
from inarch.turns.models import Models
from inarch.turns.wording import system_text

if TYPE_CHECKING:
    from inarch.calls.scheduler import Scheduler
    from inarch.contract.event_parts import Branch
    from inarch.contract.intervening import EndGuard
    from inarch.contract.replacements import Pacing
    from inarch.turns.budget.meter import Meter


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
                self.events.clear()
        elif event.kind in _OF_THE_WORKSPACE or is_plugins(event.kind):
            self.events.append(event)

    def to_data(self) -> Any:
        """Return them as plain JSON data, for `go_on_from`."""
        return [(one.seq, one.time, one.session_id, one.turn_id, one.kind, one.data) for one in self.events]

    def go_on_from(self, data: Any) -> None:
        """Take over what `to_data` gave."""
        self.events = [Event(*one) for one in data]


COMPACTED_FACTOR = 4
"""Of the turns before the last `context_turns`, a compaction leaves this many times as many in their short form."""


@define(eq=False, repr=False)
class SessionState:
    """The state of a session between turns, and the composed parts a turn works with.

    Args:
        find_tools: Returns the tools that there are in an approve mode, or in any.
        find_strategies: Returns the composed strategies of these names.
        find_late_tools: Returns all tools, with those that came since it was last called.
        offers: Tools that say which models are told of them.
        extensions: What plugins add to sessions.
        compactions: What makes a conversation shorter that is too long, in this order.
        end_guards: What may hold back the end of a turn, in this order.
        runners: The tools that run command lines.
        make_scheduler: Makes what runs calls, when it is first needed: after a reply that has some, most often.
        history: What the model sees of each turn that is over, oldest first; `gone` is how many before it sees no more.
        pacer: Spaces the requests of all sessions.
        branch: Where a child session comes from; None for any other.
        above: What a child spends from, too: the turn whose call runs it.
        meter: What the turn that runs may spend.
        inputs: What was said beside prompts and waits.
        between: What happened since a model was last asked.
        counter: Counts the tokens of all requests of the session.
        ledger: What all requests of the session came to.
        unpriced: Full names of models of which it was told that their price is unknown.
        effortless: Full names of models of which it was told that they can't be told how much to think.
        told: Full names of models of whose service it was looked at what is to be told before they are asked.
        refused: Full names of models to the tokens that were too many for them, where a service said so.
        prefix: What services were sent.
    """

    session_id: str
    config: Config
    models: Models
    tools: tuple[ToolSpec, ...]
    find_tools: Callable[[str | None], tuple[ToolSpec, ...]]
    find_late_tools: Callable[[], Mapping[str, Bound[Tool]]]
    strategies: Sequence[Bound[DecisionStrategy]]
    find_strategies: Callable[[Sequence[str]], Sequence[Bound[DecisionStrategy]]]
    sources: Sequence[Bound[ContextSource]]
    compactions: Sequence[Bound[Compaction]]
    end_guards: Sequence[Bound[EndGuard]]
    tracers: Sequence[Bound[Tracer]]
    make_scheduler: Callable[[], Scheduler]
    journal: Journal
    workspace: Workspace
    seen: dict[str, str]
    environ: Mapping[str, str]
    pacer: Pacing
    instructions: str = ""
    offers: Mapping[str, Bound[Tool]] = field(factory=dict)
    extensions: Mapping[str, Bound[SessionExtension]] = field(factory=dict)
    runners: Collection[str] = ()
    history: list[EarlierTurn] = field(factory=list)
    gone: int = 0
    turns: list[Turn] = field(factory=list)
    effectful_calls: int = 0
    branch: Branch | None = None
    above: Meter | None = None
    meter: Meter | None = None
    repeats: Repeats = field(factory=Repeats)
    inputs: Inputs = field(default=Factory(lambda self: Inputs(self.journal), takes_self=True))
    between: BetweenTurns = field(factory=BetweenTurns)
    counter: TokenCounter = field(factory=TokenCounter)
    ledger: Ledger = field(factory=Ledger)
    unpriced: set[str] = field(factory=set)
    told: set[str] = field(factory=set)
    refused: dict[str, int] = field(factory=dict)
    effortless: set[str] = field(factory=set)
    prefix: Prefix = field(factory=Prefix)
    system: str = field(init=False)
    hiding: Hiding = field(init=False)
    _told: dict[tuple[str, int | None], tuple[ToolSpec, ...]] = field(init=False, factory=dict)
    _scheduler: Scheduler | None = field(init=False, default=None)

    @hiding.default
    def _make_hiding(self) -> Hiding:
        return Hiding(self.journal.redactor)

    @system.default
    def _make_system(self) -> str:
        return system_text(self.instructions)

    @property
    def scheduler(self) -> Scheduler:
        """What runs the session's calls."""
        if self._scheduler is None:
            self._scheduler = self.make_scheduler()
        return self._scheduler

    def enter_mode(self, mode: str) -> None:
        """Have the tools that there are in an approve mode."""
        self.tools = self.find_tools(mode)

    def take_late_tools(self) -> None:
        """Let calls reach the tools that have come.

        Raises:
            PluginError: A plugin failed to say which, or brought something else.
        """
        found = self.find_late_tools()
        new = {name: bound for name, bound in found.items() if name not in self.offers}
        if new and self.branch is None:
            self.offers = found
            self._told.clear()
            if self._scheduler is not None:
                self._scheduler.tools.update(new)

    def tools_for(self, model: str, window: int | None) -> tuple[ToolSpec, ...]:
        """Return the tools that a model, by its full name and its tokens, is told of; one that can't say is there.

        They are those of all approve modes: whether one may be called now is found out when it is.
        """
        told = self._told.get((model, window))
        if told is None:
            told = tuple(spec for spec in self.find_tools(None) if self._is_offered(spec.name, model, window))
            if told and GATEWAY.name not in self.offers and self.branch is None:
                told = (*told, GATEWAY)
            self._told[model, window] = told
        return told

    def _is_offered(self, name: str, model: str, window: int | None) -> bool:
        tool = self.offers.get(name)
        if tool is None:  # whoever composed has put it there since
            return True
        with suppress(PluginError), guarded(tool.plugin, "tool", passes=()):
            if window is not None and window < getattr(tool.value, "least_window", 0):
                return False
            return not hasattr(tool.value, "offered") or bool(tool.value.offered(model))
        return True

    def go_on_with(self, history: Sequence[EarlierTurn]) -> None:
        """Let this be what the model sees of earlier turns; of one that is dropped nothing is held."""
        self.history[:] = [said for said in history if said.form != "dropped"]
        self.gone += len(history) - len(self.history)

    def earlier_messages(self) -> list[Message]:
        """Return what the model sees of earlier turns."""
        return [message for said in self.history for message in said.messages]
