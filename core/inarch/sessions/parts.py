"""Parts that sessions are made from: composed objects, opened on first use and closed once."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import attrs
from attrs import define, evolve, field, frozen

from inarch.contract.capabilities import HasAdded, KeyRing, able
from inarch.contract.errors import InarchError, ToolFailed, UsageError
from inarch.contract.guard import Door, guarded
from inarch.contract.ids import SYSTEM_CLOCK
from inarch.plugins.composition import Composition, compose_plugins
from inarch.plugins.registration import Bound
from inarch.sessions.composed_profile import Tools
from inarch.sessions.session_models import Models
from inarch.sessions.storage import Storage, opened

if TYPE_CHECKING:
    from inarch.calls.context import Doors
    from inarch.calls.scheduler import Scheduler
    from inarch.config.config import Config
    from inarch.contract.event_parts import Branch
    from inarch.contract.front_ends import FrontEnd
    from inarch.contract.ports import Clock
    from inarch.contract.replacements import Pacing, Replacements, Settled
    from inarch.contract.stores import ContextStore
    from inarch.contract.workspaces import Workspace
    from inarch.journal.interrupted_calls import OpenCall
    from inarch.journal.journal import Journal
    from inarch.journal.redactor import Redactor
    from inarch.sessions.composed_profile import Composed
    from inarch.sessions.replacements import Replacing
    from inarch.turns.session_state import SessionState

    Composing = Callable[[Config], tuple[Config, Composition, Replacements | None]]


def check_process(process: int) -> None:
    """Refuse to continue in a process that did not compose the application."""
    if process != os.getpid():
        raise UsageError(
            "this application was composed in another process, before a fork",
            "compose in the child, or start it with multiprocessing's method spawn",
        )


T = TypeVar("T")


@frozen(eq=False, repr=False)
class Origin:
    """Origin of a session: a program, or a call of another session.

    Args:
        front_end: The front end that asks the user.
        branch: Origin and limits if a call opens it; it then has the rights of the session above.
        above: The session of that call.
    """

    front_end: FrontEnd | None
    branch: Branch | None = None
    above: SessionState | None = None

    def check(self, was: Branch | None, session_id: str) -> None:
        """Return if the call may continue a stored session."""
        now = self.branch
        if now is not None and (was is None or (was.parent, was.name) != (now.parent, now.name)):
            raise UsageError(f"session {session_id} is not a {now.name} of this session", "leave session_id out")


@define(eq=False, repr=False, slots=False)
class Parts:
    """Composed objects, and which of them are open and must be closed."""

    composed: Composed
    replacing: Replacements | None
    """Replacements for parts that the profile names."""
    compose: Composing
    """Function that composes the same for another configuration."""
    lender: Parts | None = None
    """Owner of the shared store, secrets, pacer and replaced objects, which closes them."""
    process: int = field(factory=os.getpid, init=False)
    """The process that composed it; no other one may use it."""
    is_closed: bool = field(default=False, init=False)
    """Whether it was closed."""
    models: Models = field(init=False)
    keys: Keys = field(init=False)
    tools: Tools = field(init=False)
    storage: Storage = field(init=False)

    def __attrs_post_init__(self) -> None:
        composed = self.composed
        self.models, self.keys, self.tools = Models(composed), Keys(composed), Tools(composed)
        given = self.replacing.store if self.replacing is not None else None
        self.storage = Storage(composed, given) if self.lender is None else self.lender.storage

    @property
    def config(self) -> Config:
        """The configuration."""
        return self.composed.config

    @property
    def composition(self) -> Composition:
        """The plugins composed for it."""
        return self.composed.composition

    @property
    def store(self) -> ContextStore:
        """The context store of the profile, opened on first use."""
        return self.storage.store

    @cached_property
    def workspace(self) -> Workspace:
        """The workspace of the profile, opened on first use."""
        if self.replacing is not None and self.replacing.workspace is not None:
            return self.replacing.workspace
        spec = self.composed.named("workspace", self.config.profile.workspace, self.composition.workspaces)
        workspace: Workspace = opened("workspace", spec, self.config.root)
        several = able(workspace, HasAdded)
        if self.config.added and (several is None or tuple(several.added) != self.config.added):
            workspace.close()
            raise UsageError(f"the workspace {spec.value.name!r} takes no added folders", "leave --add-dir out")
        return workspace

    @cached_property
    def redactor(self) -> Redactor:
        """Replaces secrets by placeholders."""
        return self.keys.redactor(self.workspace)

    @cached_property
    def pacer(self) -> Pacing:
        """Paces the requests of all sessions: limits belong to a key, not to a session."""
        if self.replacing is not None and self.replacing.pacing is not None:
            return self.replacing.pacing
        from inarch.turns.models import choose_model
        from inarch.turns.rate_limit import Pacer

        return Pacer(
            lambda name: choose_model(name, self.composition.models, self.composed.environ).limits,
            self.clock.monotonic,
            self.clock.sleep,
        )

    @property
    def clock(self) -> Clock:
        """Source of the sessions' ids and times."""
        given = self.replacing.clock if self.replacing is not None else None
        return SYSTEM_CLOCK if given is None else given

    def scheduler(
        self,
        journal: Journal,
        seen: dict[str, str],
        *,
        keeps: bool = True,
        doors: Doors | None = None,
        origin: Origin | None = None,
    ) -> Scheduler:
        """Return a scheduler over composed tools and the policies.

        Args:
            journal: The session's.
            seen: The session's known files.
            keeps: Whether changes can be undone.
            doors: Session operations for calls.
            origin: Origin of the session; a child has the approvals of the one above it, and some of its tools.
        """
        from inarch.calls.before_images import Keeper
        from inarch.calls.grants import Grants
        from inarch.calls.scheduler import Scheduler
        from inarch.plugins.registration import DeclaredEvents

        origin = origin or Origin(self.composed.front_end)
        above, named = origin.above, None if origin.branch is None else origin.branch.tools
        given = self.replacing.approvals if self.replacing is not None else None
        grants = Grants(project=self.tools.project_grants, elsewhere=given) if above is None else above.scheduler.grants
        return Scheduler(
            tools={name: one for name, one in self.composition.tools.items() if named is None or name in named},
            policies=self.tools.policies,
            approve=(above or self).config.profile.approve,
            front_end=origin.front_end,
            journal=journal,
            workspace=self.workspace,
            seen=seen,
            grants=grants,
            keeper=Keeper(journal, self.workspace, str(self.config.state_dir)) if keeps else None,
            events=DeclaredEvents(self.composition.events),
            rewriters=self.composition.rewriters,
            approvers=self.composition.approvers,
            reviewers=self.composition.reviewers,
            may_allow=self.config.may_allow,
            tracers=self.composition.tracers,
            doors=doors,
        )

    def at(self, root: str) -> Parts:
        """Return the same parts for a copy of the directory, to be closed before these."""
        from inarch.config.project_files import imported_files, is_guide, read_trusted

        config = self.config
        known = config.trusted_files
        lost = [path for path in known if not is_guide(path) and read_trusted(root, path, known) is None]
        # a copy without trusted files may lack hooks that restrict calls
        if lost := sorted({*lost}.difference(imported_files(config.root, known) if lost else ())):
            what = f"{', '.join(lost)} is not in the copy as you trusted it in this project"
            raise ToolFailed("permission", what, "look at it, then: inarch config trust, and start again")
        # Added folders have no copy: writes there would never be merged.
        copied = evolve(config, root=os.path.realpath(root), added=(), copy_of=config.copy_of or config.root)
        copied, composition, replacing = self.compose(copied)
        given = None if replacing is None else evolve(replacing, workspace=None)
        # Providers do not depend on a directory: their connections are shared.
        whole = composition.outcome.original or composition
        outcome = evolve(composition.outcome, original=whole)
        composition = evolve(composition, models=self.composition.models, outcome=outcome)
        made = Parts(evolve(self.composed, config=copied, composition=composition), given, self.compose, self)
        # This fills cached properties: secrets and limits are shared, as the store is.
        made.__dict__ |= {"redactor": self.redactor, "pacer": self.pacer}
        return made

    def settle(self, call: OpenCall) -> Settled:
        """Return what an interrupted call did to the files of the workspace."""
        from inarch.journal.changes import standing_at
        from inarch.journal.interrupted_calls import settle

        found = settle(call, lambda path: standing_at(self.workspace, path))
        replaced = self.replacing.settle if self.replacing is not None else None
        return found if replaced is None else replaced(call.id, found)

    async def aclose(self) -> None:
        """Close providers, store, workspace and tracers; may be called twice."""
        if self.is_closed:
            return
        self.is_closed = True
        if self.process != os.getpid():
            return  # another process owns the connections that a fork inherits, and closes them
        composed = [*filter(None, (self.composition, self.composition.outcome.original))]
        for bound in self._own(one for each in composed for one in each.models.values()):
            await self._quietly(bound.plugin, bound.value.close())
        for tracer in self._own(one for each in composed for one in each.tracers):
            self._shut(tracer.plugin, "tracer", tracer.value)
        if self.lender is None:
            with suppress(InarchError):
                self.storage.close()
        if "workspace" in self.__dict__:  # else its cached property was never read
            self._shut(self.config.profile.workspace, "workspace", self.workspace)
        self.composition.close()

    def _own(self, bound: Iterable[Bound[T]]) -> Iterable[Bound[T]]:
        """Return those that are not shared, each object once: objects that were not replaced are composed twice."""
        known: dict[int, Bound[T]] = {id(one.value): one for one in bound}
        if self.lender is not None:
            composed = self.lender.composition
            lent: tuple[Bound[Any], ...] = (*composed.models.values(), *composed.tracers)
            known = {key: one for key, one in known.items() if all(key != id(other.value) for other in lent)}
        return known.values()

    async def _quietly(self, plugin: str, closing: Awaitable[None]) -> None:
        with suppress(InarchError), guarded(plugin, "provider", passes=()):
            await closing  # none of it is needed any more

    def _shut(self, plugin: str, door: Door, thing: Any) -> None:
        with suppress(InarchError), guarded(plugin, door, passes=()):
            thing.close()


def composing(replacing: Replacing | None, /, **how: Any) -> Composing:
    """Return the function that composes for a configuration with a program's replacements; `how` are its options."""

    def compose(config: Config) -> tuple[Config, Composition, Replacements | None]:
        composition = compose_plugins(config, **how)
        if replacing is None:
            return config, composition, None
        from inarch.sessions.replacements import put_in_place

        return put_in_place(replacing, config, composition)

    return compose


@define(eq=False, repr=False)
class Keys:
    """Keys in the environment of an application, and those stored elsewhere."""

    composed: Composed

    @property
    def notes(self) -> tuple[str, ...]:
        """Problems with keys stored outside the environment, if they were read."""
        ring = able(self.composed.environ, KeyRing)
        return () if ring is None else ring.notes

    def variables(self) -> Iterator[str]:
        """Yield the variables of stored keys, and those that settings called `*_env` name."""
        ring = able(self.composed.environ, KeyRing)
        yield from () if ring is None else ring.kept
        for settings in (plugin.context.settings for plugin in self.composed.composition.loaded):
            if attrs.has(type(settings)):
                named = attrs.asdict(settings, recurse=False, filter=lambda item, _: item.name.endswith("_env"))
                yield from filter(None, _texts(named))

    def redactor(self, workspace: Workspace) -> Redactor:
        """Return the redactor, which replaces secrets by placeholders.

        It knows the values of the environment's key variables, of variables that a plugin's setting names, and of the
        workspace's `.env` files.
        """
        from inarch.journal.redactor import Redactor
        from inarch_lib.secrets.dotenv import LARGEST, find_dotenvs

        config, environ = self.composed.config, self.composed.environ
        redactor = Redactor.from_environ(environ)
        redactor.learn_values((name, environ[name]) for name in self.variables() if name in environ)
        if (ring := able(self.composed.environ, KeyRing)) is not None:
            ring.on_renewal(redactor.learn_values)  # tokens of a sign-in, now and when they are renewed
        added = (f"+{folder}/{path}" for folder in config.added for path in find_dotenvs(folder))
        for path in (*find_dotenvs(config.root), *added):
            try:
                redactor.learn_file(workspace.read(path, 0, LARGEST).data)
            except InarchError:
                continue  # unreadable files cannot be shown either
        return redactor


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (Mapping, list, tuple)):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(one)
