"""The parts that sessions are made from: what was composed, opened on first use and closed once."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Collection, Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from attrs import define, evolve, field

from inarch.contract.errors import InarchError, PluginError, ToolFailed, UsageError
from inarch.contract.guarding import Door, guarded
from inarch.contract.ids import SYSTEM_CLOCK
from inarch.plugins.checks import opened_fault
from inarch.plugins.composition import Bound, Composition, compose_plugins
from inarch.sessions.composed import Composed

if TYPE_CHECKING:
    from inarch.calls.scheduler import Scheduler
    from inarch.config.config import Config
    from inarch.contract.ports import Clock, ContextStore, Workspace
    from inarch.contract.replacements import Pacing, Replacements, Settled
    from inarch.journal.journal import Journal
    from inarch.journal.redaction.redactor import Redactor
    from inarch.journal.settling import OpenCall
    from inarch.sessions.children import SessionDoors
    from inarch.sessions.replacing import Replacing

    Composing = Callable[[Config], tuple[Config, Composition, Replacements | None]]


def check_process(process: int) -> None:
    """Refuse to go on in another process than the one that composed.

    Raises:
        UsageError: This is another one.
    """
    if process != os.getpid():
        raise UsageError(
            "this application was composed in another process, before a fork",
            "compose in the child, or start it with multiprocessing's method spawn",
        )


T = TypeVar("T")


@define(eq=False, repr=False, slots=False)
class Parts(Composed):
    """What was composed, with what of it is opened and has to be closed."""

    replacing: Replacements | None = None
    """What stands in the place of parts that the profile names."""
    compose: Composing | None = None
    """Composes the same for another configuration."""
    lender: Parts | None = None
    """Whose store, secrets, pace and replaced objects these are; whoever has lent them closes them."""
    on_damage: Callable[[str], object] | None = field(default=None, init=False)
    """Hears at the end what the store found damaged and no session has told."""
    _told: set[str] = field(factory=set, init=False)
    _closed: bool = field(default=False, init=False)
    process: int = field(factory=os.getpid, init=False)
    """The process that it was composed in: no other one may use it."""

    @cached_property
    def store(self) -> ContextStore:
        """The context store of the profile, opened on first use.

        Raises:
            ConfigError: The profile names a store that no plugin provides.
            StoreError: It can't be opened.
        """
        if self.replacing is not None and self.replacing.store is not None:
            return self.replacing.store
        name = self.config.profile.store
        if not self.journalled or name == "memory":
            from inarch_sdk.memory_store import MemoryStore

            return MemoryStore()
        spec = self.named("store", name, self.composition.stores)
        store: ContextStore = opened("store", spec, str(self.config.state_dir))
        return store

    @cached_property
    def workspace(self) -> Workspace:
        """The workspace of the profile, opened on first use.

        Raises:
            ConfigError: The profile names a workspace that no plugin provides.
            ToolFailed: It can't be opened.
        """
        if self.replacing is not None and self.replacing.workspace is not None:
            return self.replacing.workspace
        spec = self.named("workspace", self.config.profile.workspace, self.composition.workspaces)
        workspace: Workspace = opened("workspace", spec, self.config.root)
        if self.config.added and tuple(getattr(workspace, "added", ())) != self.config.added:
            workspace.close()
            raise UsageError(f"the workspace {spec.value.name!r} takes no added folders", "leave --add-dir out")
        return workspace

    @cached_property
    def redactor(self) -> Redactor:
        """Replaces secrets by placeholders.

        It knows the values of the environment's key variables, of variables that a plugin's setting names, and of the
        workspace's `.env` files.
        """
        from inarch.journal.redaction.redactor import Redactor
        from inarch_secrets.dotenv import LARGEST, find_dotenvs

        redactor = Redactor.from_environ(self.environ)
        redactor.learn_values((name, self.environ[name]) for name in self.key_variables() if name in self.environ)
        if (on_renewal := getattr(self.environ, "on_renewal", None)) is not None:
            on_renewal(redactor.learn_values)  # tokens of a sign-in, now and when they are renewed
        added = (f"+{folder}/{path}" for folder in self.config.added for path in find_dotenvs(folder))
        for path in (*find_dotenvs(self.config.root), *added):
            try:
                redactor.learn_file(self.workspace.read(path, 0, LARGEST).data)
            except InarchError:
                continue  # what can't be read can't be shown either
        return redactor

    @cached_property
    def pacer(self) -> Pacing:
        """Spaces the requests of all sessions: limits belong to a key, not to a session."""
        if self.replacing is not None and self.replacing.pacing is not None:
            return self.replacing.pacing
        from inarch.turns.budget.pacing import Pacer
        from inarch.turns.models import choose_model

        return Pacer(
            lambda name: choose_model(name, self.composition.models, self.environ).limits,
            self.clock.monotonic,
            self.clock.sleep,
        )

    @property
    def clock(self) -> Clock:
        """Where the ids and times of sessions come from."""
        given = self.replacing.clock if self.replacing is not None else None
        return SYSTEM_CLOCK if given is None else given

    def scheduler(
        self,
        journal: Journal,
        seen: dict[str, str],
        *,
        keeps: bool = True,
        doors: SessionDoors | None = None,
        tools: Collection[str] | None = None,
    ) -> Scheduler:
        """Return a scheduler over composed tools and the policies; `keeps` what can be undone.

        Args:
            journal: The session's.
            seen: What the session knows of files.
            keeps: Whether changes can be undone.
            doors: What calls may use of the session; a child has the approvals of the one above it.
            tools: The tools that there are; None is all.
        """
        from inarch.calls.before_images import Keeper
        from inarch.calls.grants import Grants
        from inarch.calls.results import DeclaredEvents
        from inarch.calls.scheduler import Scheduler

        above = None if doors is None else doors.above
        given = self.replacing.approvals if self.replacing is not None else None
        return Scheduler(
            tools={name: one for name, one in self.composition.tools.items() if tools is None or name in tools},
            policies=self.policies,
            approve=(above or self).config.profile.approve,
            front_end=self.front_end if doors is None else doors.front_end,
            journal=journal,
            workspace=self.workspace,
            seen=seen,
            grants=Grants(project=self.project_grants, elsewhere=given) if above is None else above.scheduler.grants,
            keeper=Keeper(journal, self.workspace, str(self.config.state_dir)) if keeps else None,
            events=DeclaredEvents(self.composition.events),
            rewriters=self.composition.rewriters,
            reviewers=self.composition.reviewers,
            may_allow=self.config.may_allow,
            doors=doors,
        )

    def at(self, root: str) -> Parts:
        """Return the same parts for a copy of the directory, to be closed before these.

        Raises:
            ToolFailed: `permission` where what is trusted here does not stand there: hooks that keep calls from
                something would be missing.
        """
        from inarch.config.project_files import is_guide, read_trusted

        config = self.config
        known = config.trusted_files
        lost = [path for path in known if not is_guide(path) and read_trusted(root, path, known) is None]
        if lost:
            what = f"{', '.join(lost)} is not in the copy as you trusted it in this project"
            raise ToolFailed("permission", what, "look at it, then: inarch config trust, and start again")
        assert self.compose is not None
        # Added folders are nobody's copy: what would be written there would never be merged.
        copied = evolve(config, root=os.path.realpath(root), added=(), copy_of=config.copy_of or config.root)
        copied, composition, replacing = self.compose(copied)
        given = None if replacing is None else evolve(replacing, workspace=None)
        # Providers know nothing of a directory: their connections are shared.
        whole = composition.original or composition
        composition = evolve(composition, models=self.composition.models, original=whole)
        made = Parts(copied, composition, self.front_end, self.journalled, self.environ, given, self.compose, self)
        made.__dict__ |= {"store": self.store, "redactor": self.redactor, "pacer": self.pacer}
        return made

    def settle(self, call: OpenCall) -> Settled:
        """Return what a call that was cut off did to the files of the workspace."""
        from inarch.journal.changes import standing_at
        from inarch.journal.settling import settle

        found = settle(call, lambda path: standing_at(self.workspace, path))
        told = self.replacing.settle if self.replacing is not None else None
        return found if told is None else told(call.id, found)

    def tell_copied(self, session_id: str) -> None:
        """Give a session's events to the tracers that keep a copy of every session's: it didn't begin by recording."""
        from inarch_sdk.snapshots import scan

        for tracer in self.composition.tracers:
            copied = getattr(tracer.value, "copied", None)
            if copied is None:
                continue
            try:
                with guarded(tracer.plugin, "tracer", passes=()):
                    begun, forked = next(scan(self.store, session_id)), getattr(tracer.value, "forked", None)
                    if forked is not None and begun.data.get("forked_events") and forked(begun):
                        continue
                    for event in scan(self.store, session_id):
                        copied(event)
            except PluginError:
                continue  # it will fail again with the first event that is recorded, and is told then

    @property
    def store_set_aside(self) -> tuple[str, ...]:
        """The files of former stores that were damaged and lie beside the one in use."""
        return tuple(map(str, getattr(self.store, "set_aside", ())))

    def untold_damage(self) -> list[str]:
        """Return a sentence for each damage that the store has found since this was last asked."""
        found = getattr(self.__dict__.get("store"), "damage", ())
        new = [sentence for sentence in found if sentence not in self._told]
        self._told.update(new)
        return new

    def take_store(self, other: Parts) -> None:
        """Go on with the store that other parts have opened, if it is the one of this profile, too."""
        is_same = (self.config.profile.store, self.journalled) == (other.config.profile.store, other.journalled)
        if is_same and "store" in other.__dict__:
            self.__dict__["store"] = other.__dict__.pop("store")

    @property
    def is_closed(self) -> bool:
        """Whether it was let go of."""
        return self._closed

    async def aclose(self) -> None:
        """Let go of providers, store, workspace and tracers; may be called twice."""
        if self._closed:
            return
        self._closed = True
        if self.process != os.getpid():
            return  # what a fork has of another process's connections is that one's to close
        composed = [*filter(None, (self.composition, self.composition.original))]
        for bound in self._own(one for each in composed for one in each.models.values()):
            await self._quietly(bound.plugin, bound.value.close())
        for tracer in self._own(one for each in composed for one in each.tracers):
            self._shut(tracer.plugin, "tracer", tracer.value)
        if "store" in self.__dict__ and self.lender is None:
            if self.on_damage is not None:
                for sentence in self.untold_damage():
                    self.on_damage(sentence)
            self._shut(self.config.profile.store, "store", self.store)
        if "workspace" in self.__dict__:
            self._shut(self.config.profile.workspace, "workspace", self.workspace)
        self.composition.close()

    def _own(self, bound: Iterable[Bound[T]]) -> Iterable[Bound[T]]:
        """Return those that are not lent, each object once: what was not replaced is composed twice."""
        known: dict[int, Bound[T]] = {id(one.value): one for one in bound}
        if self.lender is not None:
            composed = self.lender.composition
            lent: tuple[Bound[Any], ...] = (*composed.models.values(), *composed.tracers)
            known = {key: one for key, one in known.items() if all(key != id(other.value) for other in lent)}
        return known.values()

    async def _quietly(self, plugin: str, closing: Awaitable[None]) -> None:
        try:
            with guarded(plugin, "provider", passes=()):
                await closing
        except InarchError:
            return  # nothing of it is needed any more

    def _shut(self, plugin: str, door: Door, thing: Any) -> None:
        try:
            with guarded(plugin, door, passes=()):
                thing.close()
        except InarchError:
            return


def composing(replacing: Replacing | None, **how: Any) -> Composing:
    """Return what composes for a configuration, with a program's own objects in their places; `how` is its way."""

    def compose(config: Config) -> tuple[Config, Composition, Replacements | None]:
        composition = compose_plugins(config, **how)
        if replacing is None:
            return config, composition, None
        from inarch.sessions.replacing import put_in_place

        return put_in_place(replacing, config, composition)

    return compose


def opened(what: Literal["store", "workspace"], spec: Bound[Any], place: str) -> Any:
    """Open a store or workspace that a plugin brings.

    Raises:
        InarchError: It can't be opened.
        PluginError: What the plugin opened is none.
    """
    with guarded(spec.plugin, what, passes=(InarchError,)):
        found = spec.value.open(place)
        if fault := opened_fault(what, found):
            raise TypeError(fault)
        return found
