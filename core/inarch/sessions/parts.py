"""The parts that sessions are made from: what was composed, opened on first use and closed once."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from functools import cached_property
from typing import Any, TypeVar

from attrs import define, field

from inarch.calls import RulesPolicy, Scheduler
from inarch.config import Config
from inarch.contract.doors import Door, guarded
from inarch.contract.errors import ConfigError, InarchError
from inarch.contract.ports import ContextStore, DecisionStrategy, FrontEnd, Policy, Workspace
from inarch.contract.records import PluginContext, ToolSpec
from inarch.journal import Journal, MemoryStore, Redactor
from inarch.plugins import Bound, Composition
from inarch.turns import Native

T = TypeVar("T")

KERNEL = "inarch"
"""The name under which the kernel's own parts stand where a plugin's name would."""


@define(eq=False, repr=False, slots=False)
class Parts:
    """A configuration and the plugins composed for it."""

    config: Config
    composition: Composition
    front_end: FrontEnd | None
    journalled: bool
    environ: Mapping[str, str]
    _closed: bool = field(default=False, init=False)

    @cached_property
    def store(self) -> ContextStore:
        """The context store of the profile, opened on first use.

        Raises:
            ConfigError: The profile names a store that no plugin provides.
            StoreError: It can't be opened.
        """
        name = self.config.profile.store
        if not self.journalled or name == "memory":
            return MemoryStore()
        spec = self.named("store", name, self.composition.stores)
        with guarded(spec.plugin, "store", passes=(InarchError,)):
            return spec.value.open(str(self.config.state_dir))

    @cached_property
    def workspace(self) -> Workspace:
        """The workspace of the profile, opened on first use.

        Raises:
            ConfigError: The profile names a workspace that no plugin provides.
            ToolFailed: It can't be opened.
        """
        spec = self.named("workspace", self.config.profile.workspace, self.composition.workspaces)
        with guarded(spec.plugin, "workspace", passes=(InarchError,)):
            return spec.value.open(self.config.root)

    @cached_property
    def redactor(self) -> Redactor:
        """Replaces the values of key variables by placeholders."""
        return Redactor.from_environ(self.environ)

    @property
    def tool_specs(self) -> tuple[ToolSpec, ...]:
        """The composed tools as models see them, in the profile's order."""
        tools = (bound.value for bound in self.composition.tools.values())
        return tuple(ToolSpec(tool.name, tool.description, tool.input_schema) for tool in tools)

    @property
    def strategies(self) -> list[Bound[DecisionStrategy]]:
        """The profile's decision strategies in its order.

        Raises:
            ConfigError: No plugin provides one of them.
        """
        own: Bound[DecisionStrategy] = Bound(KERNEL, Native(), PluginContext(KERNEL, self.config.root))
        known = {"native": own, **self.composition.strategies}
        return [self.named("strategy", name, known) for name in self.config.profile.strategy]

    def scheduler(self, journal: Journal, seen: dict[str, str]) -> Scheduler:
        """Return a scheduler over the composed tools and policies."""
        rules: Bound[Policy] = Bound(KERNEL, RulesPolicy(self.config.rules), PluginContext(KERNEL, self.config.root))
        return Scheduler(
            tools=self.composition.tools,
            policies=(rules, *self.composition.policies),
            approve=self.config.profile.approve,
            front_end=self.front_end,
            journal=journal,
            workspace=self.workspace,
            seen=seen,
        )

    async def aclose(self) -> None:
        """Let go of providers, store, workspace and tracers; may be called twice."""
        if self._closed:
            return
        self._closed = True
        for bound in self.composition.models.values():
            await self._quietly(bound.plugin, bound.value.close())
        for tracer in self.composition.tracers:
            self._shut(tracer.plugin, "tracer", tracer.value)
        if "store" in self.__dict__:
            self._shut(self.config.profile.store, "store", self.store)
        if "workspace" in self.__dict__:
            self._shut(self.config.profile.workspace, "workspace", self.workspace)

    def named(self, what: str, name: str, known: Mapping[str, Bound[T]]) -> Bound[T]:
        """Return the part that the profile names.

        Raises:
            ConfigError: No plugin provides it; where its plugin was refused, the reason.
        """
        found = known.get(name)
        if found is not None:
            return found
        refused = next((item for item in self.composition.refused if item.name == name), None)
        if refused is not None:
            raise ConfigError(f"the plugin of the {what} {name!r} was refused: {refused.reason}", remedy=refused.remedy)
        if self.config.safe_mode:
            raise ConfigError(f"safe mode has no {what}: it loads no plugins", remedy="unset INARCH_SAFE_MODE")
        names = ", ".join(sorted(known)) or "none"
        key = f"profiles.{self.config.profile.name}.{what}"
        raise ConfigError(f"no plugin provides the {what} {name!r}", key=key, remedy=f"known: {names}")

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
