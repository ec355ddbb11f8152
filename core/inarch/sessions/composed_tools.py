"""Composed tools of a session, and the policies that judge their calls."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from attrs import define, evolve

from inarch.calls.offered_tools import is_offered
from inarch.contract.capabilities import HasAccepted, able
from inarch.contract.guard import KERNEL, guarded
from inarch.contract.metadata import OURS
from inarch.contract.records import PluginContext, ToolSpec
from inarch.plugins.composition import Bound
from inarch.plugins.registration import check_offered

if TYPE_CHECKING:
    from inarch.calls.explanation import Explanation
    from inarch.calls.grants import ProjectGrants
    from inarch.config.grants import Rule
    from inarch.contract.ports import Policy, Tool
    from inarch.contract.records import ToolCall
    from inarch.contract.workspaces import Workspace
    from inarch.sessions.composed_profile import Composed
    from inarch_sdk.modes import ApproveMode


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
        """Return all tools by name, and compose those added since the last call.

        Raises:
            PluginError: A plugin failed to list them, or returned something else.
        """
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
