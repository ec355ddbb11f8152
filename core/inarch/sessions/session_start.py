"""Start of a conversation in a composed application: a new one, or a stored one with its history."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import define, evolve, field

from inarch.calls.offered_tools import OfferedTools
from inarch.config.config import Config
from inarch.config.files import GUIDE_FILES
from inarch.contract.capabilities import NamesCalls, OnlyRead, able
from inarch.contract.codec import from_data, to_data
from inarch.contract.compaction import EarlierTurn
from inarch.contract.errors import PluginError, StoreError, UsageError
from inarch.contract.event_parts import Branch
from inarch.contract.events import ErrorHappened, Event, Note, SessionStarted
from inarch.contract.guard import KERNEL, Door, call_guarded
from inarch.contract.inputs import Input
from inarch.contract.stores import ContextStore
from inarch.journal.journal import Journal
from inarch.journal.redactor import Redactor
from inarch.sessions.parts import Origin, Parts
from inarch.turns.ledger import Ledger
from inarch.turns.prefix import Hiding, Sent
from inarch.turns.session_state import AskedModels, BetweenTurns, Inputs, SessionParts, SessionState
from inarch.turns.token_count import TokenCounter

if TYPE_CHECKING:
    from inarch.calls.context import Doors
    from inarch.journal.fold import History
    from inarch.journal.interrupted_calls import Settle


_SPENDING = frozenset({"model.requested", "model.replied", "child.ended"})


@define(eq=False, repr=False)
class Heard:
    """State that a session start collects from stored events."""

    redactor: Redactor
    ledger: Ledger = field(factory=Ledger)
    counter: TokenCounter = field(factory=TokenCounter)
    between: BetweenTurns = field(factory=BetweenTurns)
    inputs: dict[str, Input] = field(init=False, factory=dict)
    """Messages that still wait, by id."""
    branch: Branch | None = field(init=False, default=None)
    children: dict[str, tuple[str, str, str, str]] = field(init=False, factory=dict)
    """Call, turn, name and beginning of each unfinished child, by its session."""
    holes: list[tuple[int, int]] = field(init=False, factory=list)
    """First and last number of each gap among the events."""
    _last: int = field(init=False, default=0)
    _numbers: dict[str, int] = field(init=False, factory=dict)

    def take(self, event: Event) -> None:
        """Process an event; skip shapes that are not understood."""
        if event.seq > self._last + 1:
            self.holes.append((self._last + 1, event.seq - 1))
        self._last = event.seq
        self.between.saw(event)
        try:
            if event.kind in _SPENDING:
                self.ledger.saw(event)
                self.counter.recall((event,))
            if event.kind == "child.started":
                call_id, name = str(event.data["call_id"]), str(event.data["name"])
                self.children[event.data["session_id"]] = (call_id, event.turn_id or "", name, event.time)
            elif event.kind == "child.ended":
                self.children.pop(event.data["session_id"], None)
            elif event.kind == "session.started" and event.data.get("branch"):
                self.branch = from_data(Branch, event.data["branch"])
            elif event.kind == "input.waiting":
                said = Input(*(str(event.data[key]) for key in ("id", "text", "by")))
                self.inputs[said.id] = said
            elif event.kind == "input.ended":
                self.inputs.pop(event.data["id"], None)
        except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError):
            pass
        self._reserve(event.line)

    def to_data(self) -> Any:
        """Return all of it as plain JSON data, for `go_on_from`."""
        return {
            "ledger": self.ledger.to_data(),
            "counter": self.counter.learned(),
            "between": self.between.to_data(),
            "branch": to_data(self.branch),
            "children": self.children,
            "inputs": [(said.id, said.text, said.by) for said in self.inputs.values()],
            "numbers": self._numbers,
            "holes": [self._last, self.holes],
        }

    def go_on_from(self, data: Any) -> None:
        """Restore it from the data of `to_data`."""
        self.ledger.go_on_from(data["ledger"])
        self.counter.learn_again(data["counter"])
        self.between.go_on_from(data["between"])
        self.branch = from_data(Branch, data["branch"]) if data["branch"] else None
        self.children = {
            child: (call, turn, name, time) for child, (call, turn, name, time) in data["children"].items()
        }
        self.inputs = {said[0]: Input(*said) for said in data["inputs"]}
        self._last = int(data["holes"][0])
        self.holes = [(first, last) for first, last in data["holes"][1]]
        # `reserve` reads numbers from placeholders only.
        self._reserve("".join(f"‹secret:{tag}:{number}›" for tag, number in data["numbers"].items()))

    def _reserve(self, text: str) -> None:
        for tag, number in self.redactor.reserve(text):
            self._numbers[tag] = max(self._numbers.get(tag, 0), int(number))


@define(eq=False, repr=False)
class Observer:
    """Observer that passes events on to one listener until the listener first fails."""

    name: str
    plugin: str
    door: Door
    look: Callable[[Event], None]
    journal: Journal
    sees_deltas: bool = False
    failed: bool = False

    def __call__(self, event: Event) -> None:
        """Show the event; on a failure report it once and stop."""
        # Tracers see stored events, and deltas are not stored.
        if self.failed or (event.kind == "model.delta" and not self.sees_deltas):
            return
        try:
            call_guarded(self.plugin, self.door, (BrokenPipeError,), self.look, event)
        except PluginError as error:
            self.failed = True
            self.journal.record(
                ErrorHappened(
                    f"{self.name} sees no more events: {error.message}", error.remedy, self.plugin, self.door
                ),
                event.turn_id,
            )


INSTRUCTION_CHARACTERS = 32_768


def open_state(parts: Parts, session_id: str | None, doors: Doors, origin: Origin) -> SessionState:
    """Return a conversation with its journal; a new one is recorded at its first event.

    Args:
        parts: The application.
        session_id: A stored session; None for a new one.
        doors: Session operations for its calls.
        origin: The origin of the session.
    """
    if (missing := parts.composed.missing_models()) is not None:
        raise missing
    store, failure = _store_or_memory(parts, session_id)
    make = partial(Heard, parts.redactor)
    history, heard = _resumed(store, session_id, make, parts.settle)
    told = parts.storage.untold_damage()
    if session_id and (heard.holes or told):
        from inarch.sessions.repair import bring_back

        came_back, more = bring_back(parts, session_id, heard.holes)
        told += more
        if came_back:
            history, heard = _resumed(store, session_id, make, parts.settle)
    if history is not None and origin.branch is None and _is_elsewhere(history.root, parts.config.root):
        raise UsageError(f"session {session_id} is about {history.root}", "resume it there, or with that as --root")
    if history is not None:
        origin.check(heard.branch, session_id or "")
        origin = evolve(origin, branch=origin.branch or heard.branch)
    journal = Journal(
        store,
        session_id or parts.clock.new_id(),
        redactor=parts.redactor,
        clock=parts.clock,
        required=parts.config.profile.journal == "required",
        seq=history.seq if history is not None else 0,
        opening=True,
    )
    state = _state(parts, journal, (history, heard), doors, origin)
    journal.listeners += [heard.ledger.saw, heard.between.saw]
    journal.listeners += _tracers(parts, journal)
    notes = [] if history is None else _healed(journal, history, heard)
    if origin.above is None:
        journal.listeners += _front_end(parts, journal)  # it shows events from now on
    journal.listeners.append(lambda event: _count_effects(state, event))
    if history is None:
        _record_start(parts, journal, origin.branch)
    if state.inputs.waiting:
        notes.append(Note("your last message waits: the next prompt begins with it", "resume"))
    for note in (*(Note(one, "keys") for one in parts.keys.notes), *(Note(one, "store") for one in told), *notes):
        journal.record(note)
    if failure is not None:
        journal.record(ErrorHappened(f"not recorded: {failure.message}", failure.remedy, door="store"))
    journal.opening = False
    if history is not None and any(found.changes for _, found in history.settled):
        journal.flush()  # the files may change again
    return state


def _resumed(
    store: ContextStore, session_id: str | None, make: Callable[[], Heard], settle: Settle
) -> tuple[History | None, Heard]:
    """Return a stored session's history, None for a new one, and the collected state."""
    if session_id is None:
        return None, make()
    from inarch.journal.resume_state import resume_kept

    history, heard = resume_kept(store, session_id, make, settle)
    if not history.seq:
        raise UsageError(f"there is no session {session_id}", "inarch sessions list shows those of this directory")
    return history, heard


def _healed(journal: Journal, history: History, heard: Heard) -> list[Note]:
    """Record the missing ends of an interrupted session; return notes about it."""
    from inarch.sessions.repair import end_children, end_what_was_cut_off

    return [*end_children(journal, heard.children), *end_what_was_cut_off(journal, history, heard.ledger)]


def _is_elsewhere(root: str, here: str) -> bool:
    """Return whether a session's directory exists and differs from this one; a moved directory is accepted."""
    place = Path(root)
    return bool(root) and root != here and place.is_dir() and str(place.resolve()) != here


def _store_or_memory(parts: Parts, session_id: str | None) -> tuple[ContextStore, StoreError | None]:
    """Return the store for events, in memory if the store cannot be opened and is not required."""
    required = parts.config.profile.journal == "required"
    try:
        refusing = able(parts.store, OnlyRead)
        if refusing is not None and (required or not session_id):
            raise refusing.only_read
        return parts.store, None
    except StoreError as error:
        if session_id or required:
            raise
        from inarch_sdk.memory_store import MemoryStore

        return MemoryStore(), error


def _state(
    parts: Parts, journal: Journal, known: tuple[History | None, Heard], doors: Doors, origin: Origin
) -> SessionState:
    history, heard = known
    seen, turns = (dict(history.seen), history.turns) if history else ({}, ())
    above, branch, composition = origin.above, origin.branch, parts.composition
    config, find_tools = parts.config, partial(parts.tools.in_mode, among=None if branch is None else branch.tools)
    if above is not None:  # keys changed in its session apply to the child, too
        config = evolve(config, profile=above.config.profile)
    find_late = parts.tools.find_late if branch is None else None  # a child has those of its caller
    has_gateway = branch is None or bool(composition.late_tools)
    state = SessionState(
        config=config,
        parts=SessionParts(
            models=composition.models,
            environ=parts.composed.environ,
            workspace=parts.workspace,
            pacer=parts.pacer,
            sources=composition.context_sources,
            find_strategies=parts.composed.strategies_of,
            compactions=parts.composed.compactions,
            end_guards=composition.end_guards,
            tracers=composition.tracers,
            extensions=composition.session_extensions,
            runners=parts.tools.runners,
        ),
        tools=OfferedTools(find_tools(config.profile.approve), find_tools, find_late, composition.tools, has_gateway),
        strategies=parts.composed.strategies,
        make_scheduler=partial(parts.scheduler, journal, seen, doors=doors, origin=origin),
        journal=journal,
        seen=seen,
        instructions="\n\n".join(filter(None, (_instructions(parts.config), branch.instructions if branch else ""))),
        turns=[turn for turn in turns if turn.type == "agent"],
        prompts=above.prompts
        if above
        else [one.content for one in turns if one.type == "user" and one.mode != "command"],
        branch=branch,
        above=None if above is None else above.meter,
        inputs=Inputs(journal, [*heard.inputs.values()]),
        between=heard.between,
        ledger=heard.ledger,
        asked=AskedModels(Hiding(journal.redactor), heard.counter),
    )
    if history:
        from inarch.turns.compaction import restored

        state.go_on_with(restored([EarlierTurn(*said) for said in history.said], history.left_out))
        _go_on_from(state, history)
    return state


def _go_on_from(state: SessionState, history: History) -> None:
    """Continue requests from their earlier fixed beginning, if the session has stored it."""
    from inarch.turns.session_prefix import kept

    prefix, (model, messages, digest) = state.asked.prefix, history.last_request
    for service, data in history.fixed.items():
        fixed = kept(data, lambda ref: state.journal.store.get_blob(state.journal.session_id, ref))
        if fixed is not None:
            prefix.fixed[service] = fixed
    service = model.partition("/")[0]
    if digest and service in prefix.fixed:
        prefix.sent[service] = Sent(messages, digest)
        prefix.pending = "compaction" if history.compacted else None
    elif model:
        prefix.pending = "resumed" if digest else "older"  # an older version stored no digest


def _instructions(config: Config) -> str:
    """Return the project's own instructions to agents, if they are trusted in their present state."""
    if not config.trusted_files:
        return ""
    from inarch.config.project import together
    from inarch.config.project_files import read_trusted

    found = {name: read_trusted(config.root, name, config.trusted_files) or b"" for name in GUIDE_FILES}
    if found["AGENTS.override.md"].strip():
        found["AGENTS.md"] = b""  # as in codex (developers.openai.com/codex/guides/agents-md, read 2026-11)
    return together({name: data.decode("utf-8", "replace") for name, data in found.items()})[:INSTRUCTION_CHARACTERS]


def _tracers(parts: Parts, journal: Journal) -> list[Observer]:
    return [
        Observer(f"tracer {bound.value.name!r}", bound.plugin, "tracer", bound.value.saw, journal)
        for bound in parts.composition.tracers
    ]


def _front_end(parts: Parts, journal: Journal) -> list[Observer]:
    front_end = parts.composed.front_end
    if front_end is None:
        return []
    if (naming := able(front_end, NamesCalls)) is not None:
        naming.name_calls(parts.tools.titled)
    return [Observer(f"front end {front_end.name!r}", KERNEL, "front end", front_end.show, journal, True)]


def _record_start(parts: Parts, journal: Journal, branch: Branch | None) -> None:
    from inarch import __version__

    journal.record(
        SessionStarted(
            root=parts.config.root,
            version=__version__,
            plugins=tuple(plugin.name for plugin in parts.composition.loaded),
            profile=parts.config.profile.name,
            branch=branch,
        )
    )
    for note in parts.composed.ignored:
        journal.record(Note(note, "config"))
    for refused in parts.composition.refused:
        journal.record(Note(f"plugin {refused.name!r} was refused: {refused.reason} ({refused.remedy})", "plugins"))


def _count_effects(state: SessionState, event: Event) -> None:
    """Count the calls that may have changed something; cached decisions depend on the count."""
    if event.kind == "call.state" and event.data["status"] == "scheduled":
        effects = event.data.get("effects") or {}
        if any(effects.get(name) for name in ("writes", "exclusive", "programs")):
            state.effectful_calls += 1
    elif event.kind == "file.changed":
        state.effectful_calls += 1
