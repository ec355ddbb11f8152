"""Optional members of ports: a small Protocol for each, and `able`, which checks for them.

A plugin's object has such a member or has not; it need not name the Protocol. A member that is None counts as missing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from inarch.contract.workspaces import Restorable as Restorable

if TYPE_CHECKING:
    from os import PathLike

    from inarch.contract.approval_records import RightsOffer
    from inarch.contract.errors import StoreError
    from inarch.contract.event import Event
    from inarch.contract.ports import ToolContext
    from inarch.contract.processes import Piped, Ran
    from inarch.contract.records import ChosenRights, Effects

T = TypeVar("T")


class Previews(Protocol):
    """A tool that says what a call would do, for a person who is asked."""

    def preview(self, arguments: Mapping[str, Any]) -> str | None:
        """Return the text, None for the usual one."""
        ...


class Checks(Protocol):
    """A tool that knows of some calls that they can only fail, before anybody is asked."""

    def check(self, arguments: Mapping[str, Any], context: ToolContext) -> None:
        """Refuse such a call.

        Raises:
            ToolFailed: It can only fail.
        """
        ...


class OffersRights(Protocol):
    """A tool of which a person may choose what a call can do."""

    def rights(self, arguments: Mapping[str, Any], chosen: ChosenRights) -> RightsOffer | None:
        """Return what can be chosen, None for nothing."""
        ...


class Shaped(Protocol):
    """A tool that says which calls are alike, so that an approval may cover them."""

    def shape(self, arguments: Mapping[str, Any]) -> str | None:
        """Return words for the calls that are like this one, None for this very call."""
        ...


class SaysWhatAllows(Protocol):
    """A tool with a policy of its own that says how a user lifts it."""

    def allowed_by(self, arguments: Mapping[str, Any]) -> str | None:
        """Return lines of TOML."""
        ...


class AsksInParts(Protocol):
    """A tool whose calls are lines of several commands."""

    def asking(self, arguments: Mapping[str, Any]) -> Sequence[int]:
        """Return the places of the commands that have to be allowed."""
        ...


class ForWatchers(Protocol):
    """A tool that only shows something to the person at a session: no other program is offered it."""

    for_a_watcher: bool


class KnownAs(Protocol):
    """A tool that guards of other programs know."""

    known_as: Collection[str]
    """Its names there."""


class Choosy(Protocol):
    """A tool that is not for every model."""

    def offered(self, model: str) -> bool:
        """Whether a model, `provider/name`, is told of it."""
        ...


class NeedsRoom(Protocol):
    """A tool of which no model with less room for a request is told."""

    least_window: int
    """Tokens."""


class ForModes(Protocol):
    """A tool that is there in some approve modes only."""

    modes: Collection[str]
    """Empty for all."""


class Edits(Protocol):
    """A tool one of whose arguments is a text that a person may edit before it runs."""

    text: str
    """The argument's name."""


class Isolated(Protocol):
    """A tool whose code runs in a process of its own: what it says of itself is a claim."""

    given_values: Collection[str]
    """Secrets that it may be given."""

    def isolated_bounds(self, effects: Effects) -> str:
        """Return what holds the claim, in words."""
        ...


class OfFunction(Protocol):
    """A tool that was made of a function."""

    function: Callable[..., Any]


class ChecksKey(Protocol):
    """A model provider that knows whether it has the key for a model."""

    def check_key(self, model: str) -> str | None:
        """Return what it can only guess, if anything.

        Raises:
            ProviderError: The key is not there.
        """
        ...


class FindsDefault(Protocol):
    """A model provider that asks its service for its default model."""

    async def find_default(self) -> None:
        """Ask, once.

        Raises:
            ProviderError: The service does not say.
        """
        ...


class TakesEffort(Protocol):
    """A model provider that can tell some models how much to think."""

    def takes_effort(self, model: str) -> bool:
        """Whether a model takes it."""
        ...


class OverHttp(Protocol):
    """A model provider whose service is an `inarch.HttpService`."""

    service: Any


class CopiesSessions(Protocol):
    """A tracer that keeps a copy of every session's events."""

    def copied(self, event: Event) -> None:
        """Take an event of a session that did not begin by recording, in order."""
        ...


class ForksSessions(Protocol):
    """A tracer that can copy a fork's events itself."""

    def forked(self, first: Event) -> bool:
        """Whether it has done so; `first` is the fork's first event."""
        ...


class HasFiles(Protocol):
    """A tracer that keeps files about a session."""

    def files(self, session_id: str) -> Iterable[str | PathLike[str]]:
        """Return their paths."""
        ...


class HasLogs(Protocol):
    """A tracer that keeps a log of each session, as `inarch sessions restore` takes it."""

    def logs(self) -> Iterable[str | PathLike[str]]:
        """Return the paths of all; each is called as its session. What was set aside before it is read with it."""
        ...


class Remarks(Protocol):
    """A tracer that has something to say before a session."""

    def remarks(self) -> Iterable[object]:
        """Return lines."""
        ...


class Early(Protocol):
    """A compaction that is called before the window is full."""

    at: float
    """The share of the window."""


class Watches(Protocol):
    """A compaction that is called before the others, whenever one of them is."""

    watches: bool


class Scans(Protocol):
    """A store that reads events one after the other."""

    def scan(self, session_id: str, after: int = 0) -> Iterable[Event]:
        """Yield what `load` would return."""
        ...


class ScansKinds(Protocol):
    """A store that can leave out events while it reads."""

    def scan_kinds(self, session_id: str, kinds: Collection[str], after: int = 0) -> Iterable[Event]:
        """Yield what `load` would return, of these kinds alone."""
        ...


class Forks(Protocol):
    """A store in which a fork shares the events of its source."""

    def fork(self, source_id: str, first: Event, last: int) -> None:
        """Begin a session with `first` and the events of the source from the second to number `last`."""
        ...


class Damaged(Protocol):
    """A store that found losses."""

    damage: Sequence[str]
    """A sentence for each; the list may grow."""


class SetsAside(Protocol):
    """A store with damaged files beside the one in use."""

    set_aside: Iterable[object]
    """Their paths."""


class OnlyRead(Protocol):
    """A store that takes nothing."""

    only_read: StoreError
    """Why."""


class KeepsSnapshots(Protocol):
    """A store that keeps what reading a session came to."""

    def put_snapshot(self, session_id: str, name: str, seq: int, data: bytes) -> None:
        """Keep it, in place of the one of this name."""
        ...

    def get_snapshot(self, session_id: str, name: str) -> tuple[int, bytes] | None:
        """Return the event's number and the data, None if there is none."""
        ...


class RunsPiped(Protocol):
    """A workspace that runs programs piped into each other."""

    def run_piped(self, parts: Sequence[Piped], *, cwd: str = ".", **more: Any) -> Ran:
        """Run them, as `Workspace.run` runs one."""
        ...


class StartsPrograms(Protocol):
    """A workspace that starts programs that go on."""

    def start(self, parts: Sequence[Piped], *, cwd: str = ".", on_end: Callable[[], object], **more: Any) -> Any:
        """Start them and return what runs."""
        ...


class HasAdded(Protocol):
    """A workspace of several folders."""

    added: Sequence[str]
    """The absolute paths of those beside its root."""


class Patient(Protocol):
    """Something that the kernel waits for, with a time limit of its own."""

    timeout_s: float
    """Seconds."""


class Hides(Protocol):
    """A workspace from which rules keep files."""

    hidden: Sequence[str]
    """Globs over their paths."""


class Selects(Protocol):
    """A front end in which a person selects things."""

    selection: Any


class Beside(Protocol):
    """A front end that says where remarks go."""

    beside: Any
    """A text stream."""


class Converses(Protocol):
    """A front end that holds a whole conversation."""

    converse: Callable[[Any], int]


class KeepsRights(Protocol):
    """Lasting approvals that keep the rights that were chosen, too."""

    def remember_rights(self, key: str, tool: Any, rights: ChosenRights) -> None:
        """Keep them."""
        ...


class KnowsRights(Protocol):
    """Lasting approvals that know which rights were chosen."""

    def rights_of(self, key: str, tool: Any) -> ChosenRights | None:
        """Return them, None if there are none."""
        ...


class KeyRing(Protocol):
    """An environment with keys that are kept elsewhere."""

    notes: tuple[str, ...]
    """What was wrong with some."""
    kept: Collection[str]
    """The variables they are for."""

    def on_renewal(self, told: Callable[[Any], object]) -> None:
        """Have `told` called with each token, now and when it is renewed."""
        ...


class Renews(Protocol):
    """An environment that can give a token that has not expired."""

    def renewed(self, name: str) -> str:
        """Return a variable's value; it may ask a server."""
        ...


CAPABILITIES: Mapping[str, tuple[type[Any], ...]] = {
    "tools": (Shaped, SaysWhatAllows, Choosy, Previews),
    "models": (ChecksKey, FindsDefault, TakesEffort),
    "tracers": (CopiesSessions, ForksSessions, HasFiles, HasLogs, Remarks),
    "compactions": (Early,),
    "stores": (Scans, ScansKinds, Forks, KeepsSnapshots, Damaged, SetsAside),
    "workspaces": (Restorable,),
    "front_ends": (Selects,),
}
"""The capabilities that a wrapper of such an object passes on, by kind."""


def able(value: object, capability: type[T]) -> T | None:
    """Return an object as what it also is, None if it lacks one of the members."""
    found: Any = value
    wanted: Any = capability
    return found if all(getattr(found, name, None) is not None for name in members(wanted)) else None


@cache
def members(capability: type[Any]) -> tuple[str, ...]:
    """Return the names of a capability's members."""
    names = {**vars(capability), **getattr(capability, "__annotations__", {})}
    return tuple(name for name in names if not name.startswith("_"))


@cache
def optional(kind: str) -> tuple[str, ...]:
    """Return the members that objects of a kind may offer beyond their port."""
    offered: tuple[Any, ...] = CAPABILITIES.get(kind, ())
    return tuple(name for capability in offered for name in members(capability))


def passed_on(kind: str, inner: object, name: str) -> Any:
    """Return an optional member of what an object is in place of: for the `__getattr__` of such objects.

    Raises:
        AttributeError: There is no such member of this kind, or the inner object does not offer it.
    """
    if name not in optional(kind):
        raise AttributeError(name)
    return getattr(inner, name)
