"""Optional capabilities of objects beyond their ports, one small Protocol each, and `able`, which checks for one.

A plugin's object has such a member or not; it need not name the Protocol. A member that is None counts as missing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from inarch.contract.workspaces import Restorable as Restorable
from inarch.contract.workspaces import Trial as Trial

if TYPE_CHECKING:
    from os import PathLike

    from inarch.contract.approval_records import RightsOffer
    from inarch.contract.errors import StoreError
    from inarch.contract.event import Event
    from inarch.contract.files import FileState
    from inarch.contract.ports import ToolContext
    from inarch.contract.processes import Piped, Ran
    from inarch.contract.records import ChosenRights, Effects, ProposedFile, ToolCall
    from inarch.contract.workspaces import Workspace

T = TypeVar("T")


class Previews(Protocol):
    """Tool that previews a call for the user."""

    def preview(self, arguments: Mapping[str, Any]) -> str | None:
        """Return what the user sees in place of the arguments, like a diff, or None."""


class Checks(Protocol):
    """Tool that can tell before Inarch asks the user that a call can only fail."""

    def check(self, arguments: Mapping[str, Any], context: ToolContext) -> None:
        """Refuse such a call, in a thread, and change nothing.

        Raises:
            ToolFailed: It can only fail.
        """


class OffersRights(Protocol):
    """Tool whose calls the user can give additional rights."""

    def rights(self, arguments: Mapping[str, Any], chosen: ChosenRights) -> RightsOffer | None:
        """Return the rights to choose from, None for none; the running call finds them in `context.rights`.

        Raises:
            ToolFailed: The choice is impossible.
        """


class Shaped(Protocol):
    """Tool that says which calls are alike, so that an approval may cover them."""

    def shape(self, arguments: Mapping[str, Any]) -> str | None:
        """Describe in a few words what a lasting approval covers: calls with an equal text; None for this very call."""


class SaysWhatAllows(Protocol):
    """Tool with its own policy that says how a user lifts a denial by it."""

    def allowed_by(self, arguments: Mapping[str, Any]) -> str | None:
        """Return lines of TOML."""


class Triable(Protocol):
    """Tool whose calls can be tried in a copy of the workspace before the user answers."""

    def tries(self, workspace: Workspace) -> bool:
        """Return whether this machine can do so; it may start a program."""

    def try_(self, arguments: Mapping[str, Any], context: ToolContext) -> Trial:
        """Try a call. If its approval follows, `run` applies what was seen.

        Raises:
            ToolFailed: This call can't be tried.
        """


class TriesPrograms(Protocol):
    """Workspace that runs programs in a copy of itself."""

    def trial_problem(self) -> str:
        """Return why this machine can't do so, empty if it can."""

    def try_piped(self, parts: Sequence[Piped], *, cwd: str = ".", trial: Any, **more: Any) -> Ran:
        """Run a pipeline as `run_piped` does; `trial` takes its changes."""


class AppliesTrials(Protocol):
    """Workspace of a call that applies the changes of a dry run."""

    def apply_trial(self, states: Sequence[FileState]) -> Sequence[str]:
        """Leave every path as its state says, as `restore_all` does, though the model has not seen the files."""


class AsksAlways(Protocol):
    """Front end of the user's own call that is asked about it even if it needs no approval."""

    asks_always: bool


class HasAccepted(Protocol):
    """Policy with further rules that the user has accepted, for some time; only Inarch's own plugins may have it."""

    def accepted(self, call: ToolCall, tool: Any) -> Sequence[Mapping[str, Any]]:
        """Return the rules that count for a call now, each with the keys of `[[rules]]`."""


class AsksInParts(Protocol):
    """Tool whose calls are lines of several commands."""

    def asking(self, arguments: Mapping[str, Any]) -> Sequence[int]:
        """Return the positions, from 0, of the commands that a rule or grant has to allow."""


class ForWatchers(Protocol):
    """Tool that only shows something to the user at a session; other programs do not see it."""

    for_a_watcher: bool


class KnownAs(Protocol):
    """Tool that other programs' guards know by other names."""

    known_as: Collection[str]
    """Its names there."""


class Choosy(Protocol):
    """Tool that is not for every model."""

    def offered(self, model: str) -> bool:
        """Return whether a model, `provider/name`, sees it."""


class NeedsRoom(Protocol):
    """Tool that models with less room for a request do not see."""

    least_window: int
    """Tokens."""


class ForLittleRoom(Protocol):
    """Tool that only models with little room for a request see."""

    below_window: int
    """Tokens."""


class ForModes(Protocol):
    """Tool that only some approval modes offer."""

    modes: Collection[str]
    """Empty for all."""


class Edits(Protocol):
    """Tool with an argument in Markdown that the user reads, and may edit, before it runs."""

    text: str
    """The argument's name."""


class Isolated(Protocol):
    """Tool whose code runs in a separate process, so that its own declarations are only claims."""

    given_values: Collection[str]
    """Secrets that it may receive."""

    def isolated_bounds(self, effects: Effects) -> str:
        """Return a description of what enforces the claim."""


class OfFunction(Protocol):
    """Tool that was made from a function."""

    function: Callable[..., Any]


class ChecksKey(Protocol):
    """Model provider that knows whether it has the key for a model."""

    def check_key(self, model: str) -> str | None:
        """Send nothing. Return a message if it can only guess, else None; called before the user chooses a model.

        Raises:
            ProviderError: The key is missing.
        """


class FindsDefault(Protocol):
    """Model provider that asks its service for its default model."""

    async def find_default(self) -> None:
        """Ask once, before a turn that names no model; from then on `default_model` is the name.

        Raises:
            ProviderError: The service does not answer.
        """


class TakesEffort(Protocol):
    """Model provider that can set the reasoning effort of some models."""

    def takes_effort(self, model: str) -> bool:
        """Return whether requests to a model may have one; otherwise the user is informed."""


class OverHttp(Protocol):
    """Model provider whose service is an `inarch.HttpService`; a first-time user is shown its host if it is remote."""

    service: Any


class CopiesSessions(Protocol):
    """Tracer that copies every session's events."""

    def copied(self, event: Event) -> None:
        """Take an event of a session that did not start empty, such as a fork, in order."""


class ForksSessions(Protocol):
    """Tracer that can copy a fork's events itself."""

    def forked(self, first: Event) -> bool:
        """Return whether the fork's first event is enough, because its log of `forked_from` has the rest.

        The rest is then copied only before that log is deleted.
        """


class HasFiles(Protocol):
    """Tracer that writes files about a session."""

    def files(self, session_id: str) -> Iterable[str | PathLike[str]]:
        """Return their paths."""


class HasLogs(Protocol):
    """Tracer that writes a log of each session in the form `inarch sessions restore` reads."""

    def logs(self) -> Iterable[str | PathLike[str]]:
        """Return the paths of all logs, each named by its session id.

        Restoring a log also reads the logs of the session that were set aside before it.
        """


class Foresees(Protocol):
    """Tracer that knows what an edit would reach, for the question about it."""

    def foresee(self, file: ProposedFile) -> str | None:
        """Return it in a line, or None; called in a thread."""


class Remarks(Protocol):
    """Tracer with remarks to show before a session."""

    def remarks(self) -> Iterable[object]:
        """Return lines about how its plugin was composed, such as a part that was left out."""


class Early(Protocol):
    """Compaction that is called before the window is full."""

    at: float
    """The share of the window."""


class Watches(Protocol):
    """Compaction that is called before the others, whenever one of them is."""

    watches: bool


class Scans(Protocol):
    """Store that reads events one after the other."""

    def scan(self, session_id: str, after: int = 0) -> Iterable[Event]:
        """Yield what `load` would return."""


class ScansKinds(Protocol):
    """Store that can skip events while it reads."""

    def scan_kinds(self, session_id: str, kinds: Collection[str], after: int = 0) -> Iterable[Event]:
        """Yield what `load` would return, only of these kinds."""


class Forks(Protocol):
    """Store in which a fork shares the events of its source."""

    def fork(self, source_id: str, first: Event, last: int) -> None:
        """Start a session with `first` and the events of the source from the second to number `last`, or with nothing.

        They keep their numbers (`Event.moved`) and the bytes that they name, and survive the source. Without this
        method the kernel copies event by event.
        """


class Damaged(Protocol):
    """Store that found losses."""

    damage: Sequence[str]
    """One sentence for each loss; the list may grow."""


class SetsAside(Protocol):
    """Store with damaged files beside the one in use."""

    set_aside: Iterable[object]
    """Their paths."""


class OnlyRead(Protocol):
    """Store that accepts no writes."""

    only_read: StoreError
    """The reason."""


class KeepsSnapshots(Protocol):
    """Store that stores snapshots derived from a session's events, so that a long one is not read for each question.

    They are deleted with the session, and when an event is appended whose number is not greater than theirs. Lost ones
    are derived again.
    """

    def put_snapshot(self, session_id: str, name: str, seq: int, data: bytes) -> None:
        """Store it, replacing the one of this name."""

    def get_snapshot(self, session_id: str, name: str) -> tuple[int, bytes] | None:
        """Return the event's number and the data, None if there is none."""


class RunsPiped(Protocol):
    """Workspace that runs pipelines of programs."""

    def run_piped(self, parts: Sequence[Piped], *, cwd: str = ".", **more: Any) -> Ran:
        """Run them, as `Workspace.run` runs one: each has its rights and reads what the one before it writes.

        Return the result of the last one that failed.
        """


class StartsPrograms(Protocol):
    """Workspace that starts programs in the background."""

    def start(self, parts: Sequence[Piped], *, cwd: str = ".", on_end: Callable[[], object], **more: Any) -> Any:
        """Start them and return a handle."""


class HasAdded(Protocol):
    """Workspace of several folders."""

    added: Sequence[str]
    """The absolute paths of those beside its root; a file there has the path `+` and the absolute path."""


class SaysUncovered(Protocol):
    """Workspace that knows what commands could change beyond undo."""

    def uncovered(self) -> tuple[str, ...]:
        """Return these paths without caches, empty for none; `.` means that undo covers nothing."""


class Patient(Protocol):
    """Object with its own time limit for the kernel's wait."""

    timeout_s: float
    """Seconds."""


class BoundsHolds(Protocol):
    """End guard with its own limit of vetoes in a turn."""

    most_holds: int


class Hides(Protocol):
    """Workspace whose files rules hide."""

    hidden: Sequence[str]
    """Globs over their paths."""


class Selects(Protocol):
    """Front end in which the user can select things."""

    selection: Any


class NamesCalls(Protocol):
    """Front end that shows calls in people's words."""

    def name_calls(self, titled: Callable[[str, Mapping[str, Any]], str]) -> None:
        """Take the function that returns a call's title, by its tool's name and its arguments, for each session."""


class Beside(Protocol):
    """Front end that says where remarks go."""

    beside: Any
    """A text stream."""


class Converses(Protocol):
    """Front end that holds a whole conversation."""

    converse: Callable[[Any], int]


class KeepsRights(Protocol):
    """Lasting approvals that also store chosen rights."""

    def remember_rights(self, key: str, tool: Any, rights: ChosenRights) -> None:
        """Store them."""


class KnowsRights(Protocol):
    """Lasting approvals that know which rights were chosen."""

    def rights_of(self, key: str, tool: Any) -> ChosenRights | None:
        """Return them, None if there are none."""


class KeyRing(Protocol):
    """Environment with keys stored elsewhere."""

    notes: tuple[str, ...]
    """Problems with some of them."""
    kept: Collection[str]
    """The variables they are for."""

    def on_renewal(self, told: Callable[[Any], object]) -> None:
        """Call `told` with each token, now and when it is renewed."""


class Renews(Protocol):
    """Environment that can return a token that has not expired."""

    def renewed(self, name: str) -> str:
        """Return a variable's value; it may ask a server."""


CAPABILITIES: Mapping[str, tuple[type[Any], ...]] = {
    "tools": (Shaped, SaysWhatAllows, Choosy, Previews),
    "models": (ChecksKey, FindsDefault, TakesEffort),
    "tracers": (CopiesSessions, ForksSessions, HasFiles, HasLogs, Remarks),
    "compactions": (Early,),
    "stores": (Scans, ScansKinds, Forks, KeepsSnapshots, Damaged, SetsAside),
    "workspaces": (Restorable, SaysUncovered),
    "front_ends": (Selects, NamesCalls),
}
"""The capabilities that a wrapper of such an object passes on, by kind."""


def able(value: object, capability: type[T]) -> T | None:
    """Return an object as a capability, None if it lacks one of the members."""
    found: Any = value
    wanted: Any = capability
    return found if all(getattr(found, name, None) is not None for name in members(wanted)) else None


@cache
def members(capability: type[Any]) -> tuple[str, ...]:
    """Return the names of a capability's members."""
    # Attributes without a value are only annotations.
    names = {**vars(capability), **getattr(capability, "__annotations__", {})}
    return tuple(name for name in names if not name.startswith("_"))


@cache
def optional(kind: str) -> tuple[str, ...]:
    """Return the members that objects of a kind may offer beyond their port."""
    offered: tuple[Any, ...] = CAPABILITIES.get(kind, ())
    return tuple(name for capability in offered for name in members(capability))


def passed_on(kind: str, inner: object, name: str) -> Any:
    """Return an optional member of a wrapped object, for the wrapper's `__getattr__`.

    Raises:
        AttributeError: There is no such member of this kind, or the inner object does not offer it.
    """
    if name not in optional(kind):
        raise AttributeError(name)
    return getattr(inner, name)
