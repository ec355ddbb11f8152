"""Composition for a configuration: the parts that its profile names, its tools, and the policies for their calls."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define, evolve

from inarch.calls.offered_tools import is_offered
from inarch.config.config import Config
from inarch.contract.capabilities import HasAccepted, Remarks, able
from inarch.contract.errors import ConfigError, PluginError
from inarch.contract.guard import KERNEL, guarded
from inarch.contract.metadata import OURS
from inarch.contract.records import PluginContext, ToolSpec
from inarch.plugins.composition import Composition
from inarch.plugins.discovery import discover, full_name
from inarch.plugins.registration import Bound, check_offered
from inarch_sdk.suggestions import nearest

if TYPE_CHECKING:
    from inarch.calls.explanation import Explanation
    from inarch.calls.grants import ProjectGrants
    from inarch.config.grants import Rule
    from inarch.contract.compaction import Compaction
    from inarch.contract.front_ends import FrontEnd
    from inarch.contract.ports import DecisionStrategy, Policy, Tool
    from inarch.contract.records import ToolCall
    from inarch.contract.workspaces import Workspace
    from inarch_sdk.modes import ApproveMode


T = TypeVar("T")


@define(eq=False, repr=False)
class Composed:
    """Configuration and the plugins composed for it."""

    config: Config
    composition: Composition
    front_end: FrontEnd | None
    journalled: bool
    environ: Mapping[str, str]

    @property
    def strategies(self) -> list[Bound[DecisionStrategy]]:
        """The profile's decision strategies in its order."""
        return self.strategies_of(self._strategy_names)

    @property
    def compactions(self) -> list[Bound[Compaction]]:
        """Compactions: the plugins' first, in the profile's order, then the built-in ones."""
        return sorted(self.composition.compactions, key=lambda one: one.plugin in self.composition.builtins)

    def strategies_of(self, names: Sequence[str]) -> list[Bound[DecisionStrategy]]:
        """Return the composed strategies of these names."""
        return [self.named("strategy", name, self.composition.strategies) for name in names]

    @property
    def _strategy_names(self) -> Sequence[str]:
        """The profile's strategies; by default, the composed ones."""
        names = self.config.profile.strategy
        return names if self.config.sets("strategy") else [one for one in names if one in self.composition.strategies]

    def named(self, what: str, name: str, known: Mapping[str, Bound[T]]) -> Bound[T]:
        """Return the part that the profile names."""
        found = known.get(name)
        if found is not None:
            return found
        raise self._absent(what, name, name, known)

    def missing_models(self) -> ConfigError | None:
        """Return the error for the first model of the profile that no plugin provides."""
        profile = self.config.profile
        for key, name in (("model", profile.model), ("decision_model", profile.decision_model or "auto")):
            provider = full_name(name, self.composition.models, self.environ).partition("/")[0]
            if provider != "auto" and provider not in self.composition.models:
                return self._absent(key, name, provider, self.composition.models)
        if not self.composition.models and self.composition.refused:
            item = self.composition.refused[0]
            message = f"no plugin of this profile provides a model: plugin {item.name!r} {item.reason}"
            return self.config.error("model", message, item.remedy)
        return None

    def missing(self) -> Iterator[ConfigError]:
        """Yield an error for each part that the profile names and no plugin provides."""
        profile, composed = self.config.profile, self.composition
        if (models := self.missing_models()) is not None:
            yield models
        named = [
            ("workspace", profile.workspace, {*composed.workspaces}),
            ("store", profile.store, {"memory", *composed.stores}),
            *(("strategy", name, {*composed.strategies}) for name in self._strategy_names),
        ]
        yield from (self._absent(what, name, name, known) for what, name, known in named if name not in known)

    def _absent(self, key: str, name: str, plugin: str, known: Collection[str]) -> ConfigError:
        """Return the error for a key whose value no plugin provides, with the nearest available one."""
        what = key.replace("_", " ")
        if self.config.safe_mode:
            return ConfigError(f"safe mode has no {what}: it loads no plugins", remedy="unset INARCH_SAFE_MODE")
        message = f"no plugin provides the {what} {name!r}"
        refused = next((item for item in self.composition.refused if item.name == plugin), None)
        if refused is not None:
            message += f": plugin {plugin!r} {refused.reason}"
        found = discover()
        if plugin in found.builtins:
            remedy = f"take -p no:{plugin} away" if self.composition.builtins else "compose with builtins=True"
        elif plugin not in found.plugins:
            remedy = nearest(plugin, known) or "none of the profile's plugins provides one"
        elif refused is not None:
            remedy = refused.remedy
        elif plugin in self.config.profile.plugins:
            remedy = f"take -p no:{plugin} away"
        else:
            remedy = f"add {plugin!r} to the profile's `plugins`"
        return self.config.error(key, message, remedy)

    @property
    def ignored(self) -> tuple[str, ...]:
        """One line for each setting in the configuration that has no effect."""
        tried = (item.name for item in self.composition.refused)  # a single file, for example
        names = {*(plugin.name for plugin in self.composition.loaded), *tried}
        if self.config.hints(names):  # an installed plugin outside the profile may have a table, too
            found = discover()
            names |= {*found.plugins, *found.builtins}
        return (*self.config.notes, *self.config.hints(names), *self.composition.outcome.given_way, *self._remarks())

    def _remarks(self) -> Iterator[str]:
        for tracer in self.composition.tracers:
            remarking = able(tracer.value, Remarks)
            if remarking is None:
                continue
            try:
                with guarded(tracer.plugin, "tracer", passes=()):
                    yield from [str(line) for line in remarking.remarks()]
            except PluginError:
                continue  # a failing remark must not raise an error


@define(eq=False, repr=False)
class Tools:
    """Tools of a composition, which may grow while it is used."""

    composed: Composed

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """The composed tools as models see them, in the profile's order."""
        from inarch_lib.schemas.model_schemas import told_schema

        tools = (bound.value for bound in self.composed.composition.tools.values())
        return tuple(ToolSpec(tool.name, tool.description, told_schema(tool.input_schema)) for tool in tools)

    def titled(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Return what a call does in people's words, as `inarch.figures.call_title` does."""
        from inarch_sdk.figures import call_title

        bound = self.composed.composition.tools.get(name)
        return call_title(name, arguments, bound and bound.value)

    def find_late(self) -> Mapping[str, Bound[Tool]]:
        """Return all tools by name, and compose those added since the last call."""
        for source in self.composed.composition.late_tools:
            with guarded(source.plugin, "hook", passes=()):
                found = tuple(source.value.new_tools())
            check_offered(source.plugin, "tools", found)
            known = self.composed.composition.tools
            new = {one.name: Bound(source.plugin, one, source.context) for one in found if one.name not in known}
            if new:
                self.composed.composition = evolve(self.composed.composition, tools={**known, **new})
        return self.composed.composition.tools

    def in_mode(self, mode: str | None, among: Collection[str] | None = None) -> tuple[ToolSpec, ...]:
        """Return the tools of an approval mode, or of any mode for None; `among` restricts the names."""
        tools = self.composed.composition.tools
        there = (name for name in tools if among is None or name in among)
        names = {name for name in there if mode is None or is_offered(tools[name].value, mode)}
        return tuple(spec for spec in self.specs if spec.name in names)

    @property
    def runners(self) -> tuple[str, ...]:
        """Tools whose command lines the workspace runs: those of category `command` from the workspace's provider.

        The provider is a plugin and the others of its distribution.
        """
        composition = self.composed.composition
        workspace = composition.workspaces.get(self.composed.config.profile.workspace)
        if workspace is None:
            return ()
        brought = {one.name: one.distribution for one in composition.loaded}
        whose = brought.get(workspace.plugin)
        return tuple(
            name
            for name, bound in composition.tools.items()
            if (bound.plugin == workspace.plugin or (whose and brought.get(bound.plugin) == whose))
            and bound.value.category == "command"
            and "command" in bound.value.input_schema.get("properties", ())
        )

    @property
    def policies(self) -> tuple[Bound[Policy], ...]:
        """Policies in order: the user's own rules and grants, the one about steering files, then the plugins'."""
        from inarch.calls.rules import RulesPolicy
        from inarch_sdk.steering_files import AskAboutSteering

        config, plugins = self.composed.config, self.composed.composition.policies
        own = RulesPolicy(
            config.rules, commands=config.commands, runners=self.runners, root=config.root, accepted=self._accepted
        )
        kernels: tuple[Policy, ...] = (own, AskAboutSteering())
        return *(Bound(KERNEL, one, PluginContext(KERNEL, config.root)) for one in kernels), *plugins

    def _accepted(self, call: ToolCall, tool: Tool) -> list[Rule]:
        """Return the rules that the user accepted for some time, from policies of Inarch's own plugins."""
        from inarch.config.grants import Rule

        composition = self.composed.composition
        ours = {plugin.name for plugin in composition.loaded if plugin.distribution == OURS}
        found = (able(bound.value, HasAccepted) for bound in composition.policies if bound.plugin in ours)
        return [Rule(**one) for policy in found if policy is not None for one in policy.accepted(call, tool)]

    def explain(
        self,
        name: str,
        arguments: Mapping[str, Any],
        workspace: Workspace,
        *,
        heeds_grants: bool = False,
        mode: ApproveMode | None = None,
    ) -> Explanation:
        """Explain how a call would be judged in an approval mode, by default the profile's.

        With `heeds_grants`, include the project's permanent approvals.
        """
        from inarch.calls.explanation import explain
        from inarch.calls.policy import promises_kept
        from inarch_sdk.modes import COPY, REVIEW

        composed, grants = self.composed, self.project_grants if heeds_grants else None
        tools, root = composed.composition.tools, composed.config.root
        mode = mode or composed.config.profile.approve

        def kept() -> frozenset[str]:
            copy = {COPY} if mode == REVIEW else set()  # a session in this mode works in a copy
            return promises_kept(workspace, has_undo=True) | copy

        return explain(
            name, arguments, tools=tools, policies=self.policies, mode=mode, root=root, kept=kept, grants=grants
        )

    @property
    def project_grants(self) -> ProjectGrants:
        """The project's permanent approvals."""
        from inarch.calls.grants import ProjectGrants

        origins = {
            plugin.name: f"{plugin.name} ({plugin.distribution} {plugin.version})"
            for plugin in self.composed.composition.loaded
            if plugin.distribution
        }
        config = self.composed.config
        return ProjectGrants(config.root, config.state_dir, origins)
