"""What turns of one session share: its parts, what it knows of models, what was said, seen and spent."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from attrs import define, field, frozen

from inarch.calls.offered_tools import OfferedTools
from inarch.config.config import Config
from inarch.contract.compaction import EarlierTurn
from inarch.contract.events import Event
from inarch.contract.plugin_events import is_plugins
from inarch.contract.ports import ContextSource, DecisionStrategy, Tracer
from inarch.contract.records import Message, Turn
from inarch.contract.session_extensions import SessionExtension
from inarch.contract.workspaces import Workspace
from inarch.journal.journal import Journal
from inarch.plugins.composition import Bound
from inarch.turns.budget.ledger import Ledger
from inarch.turns.context.prefix import Prefix
from inarch.turns.context.token_count import TokenCounter
from inarch.turns.inputs import Inputs
from inarch.turns.limits import Repeats
from inarch.turns.models import Choice, Models, choose_model, find_default
from inarch.turns.redaction import Hiding

if TYPE_CHECKING:
    from inarch.calls.scheduler import Scheduler
    from inarch.contract.compaction import Compaction
    from inarch.contract.event_parts import Branch
    from inarch.contract.interventions import EndGuard
    from inarch.contract.ports import ContextSource, DecisionStrategy, Tracer
    from inarch.contract.replacements import Pacing
    from inarch.contract.session_extensions import SessionExtension
    from inarch.contract.workspaces import Workspace
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


@frozen(eq=False, repr=False)
class SessionParts:
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

    models: Models
    environ: Mapping[str, str]
    workspace: Workspace
    pacer: Pacing
    sources: Sequence[Bound[ContextSource]]
    find_strategies: Callable[[Sequence[str]], Sequence[Bound[DecisionStrategy]]]
    compactions: Sequence[Bound[Compaction]]
    end_guards: Sequence[Bound[EndGuard]]
    tracers: Sequence[Bound[Tracer]]
    extensions: Mapping[str, Bound[SessionExtension]]
    runners: Collection[str]

    def choose(self, name: str) -> Choice:
        """Return the provider and model that `name` means.

        Raises:
            ConfigError: No composed plugin provides it.
        """
        return choose_model(name, self.models, self.environ)

    async def find_default(self, name: str) -> None:
        """Let the provider find out its default model, if `name` names none.

        Raises:
            ConfigError: No composed plugin provides it.
        """
        await find_default(name, self.models, self.environ)


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
