"""Question to the user whether hooks may have the rights that they lacked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import inarch
from inarch_plugins.hooks.hook_config import Hook
from inarch_plugins.hooks.hook_rights import NO_RIGHTS
from inarch_plugins.hooks.hook_state import HookState

ALLOW = "allow_hooks"
_UNASKED = frozenset({"bypass", "none", "plan"})
"""Approval modes in which there is no answer that could hold for later sessions."""


async def offer(ending: inarch.Ending, state: HookState) -> None:
    """Ask once about the rights that hooks of a file lacked, and about a file's `permissions.allow`.

    An answer is for all hooks of the file, or for its list, as they are now.
    """
    if state.modes.get(ending.situation.turn.session_id) in _UNASKED:
        return
    lacking, state.lacking = state.lacking, {}
    for source, rights in lacking.items():
        if source not in state.offered:
            state.offered[source] = rights
            await ending.call(ALLOW, {"file": source})
    lists, state.lists = state.lists, set()
    for source in sorted(lists - state.asked_lists):
        state.asked_lists.add(source)
        await ending.call(ALLOW, {"file": source, "list": True})


class AllowHooks:
    """Tool that asks the user about rights of hooks. Only this plugin calls it: no model sees it."""

    name, title = ALLOW, "Allow what {file} says"
    category: Literal["other"] = "other"
    description = "Give hooks the rights that they lacked."
    input_schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {"file": {"type": "string"}, "list": {"type": "boolean"}},
        "required": ["file"],
        "additionalProperties": False,
    }
    output_schema: Mapping[str, Any] | None = None
    timeout_s = 30.0
    max_retries = 0
    requires_confirmation = receives_secrets = False

    def __init__(self, state: HookState) -> None:
        self._state = state

    def offered(self, model: str) -> bool:
        """Return that no model sees it."""
        return False

    def effects(self, arguments: Mapping[str, Any]) -> inarch.Effects:
        """Return no effects."""
        return inarch.Effects()

    def rights(self, arguments: Mapping[str, Any], chosen: inarch.ChosenRights) -> inarch.RightsOffer:
        """Return the hooks and their rights for the question. Without a user, the call runs and stores nothing."""
        source = str(arguments["file"])
        if arguments.get("list"):
            listed = tuple(f"without a question: {one}" for one in self._state.list_of(source).splitlines())
            return inarch.RightsOffer((), {}, listed, f"permissions.allow of {source}", lasting=False, unasked=True)
        rights = self._state.offered.get(source, NO_RIGHTS)
        folders = ["the workspace (no undo)" if path == "." else path for path in rights.write]
        may = [*(f"change {folder}" for folder in folders), *(["use the network"] if rights.network else [])]
        may += [f"hook: {inarch.shorten(hook.shown, 160)}" for hook in self._hooks(source)]
        return inarch.RightsOffer((), {}, tuple(may), f"rights of hooks in {source}", lasting=False, unasked=True)

    def run(self, arguments: Mapping[str, Any], context: inarch.ToolContext) -> Any:
        """Store the rights if the user gave them."""
        source = str(arguments["file"])
        rights = self._state.offered.get(source, NO_RIGHTS)
        is_given = context.rights is not None and "bypass" not in context.rights
        if is_given and arguments.get("list"):
            self._state.grants.give([(source, self._state.list_of(source))], NO_RIGHTS)
        elif is_given:
            self._state.grants.give([(hook.source, hook.command) for hook in self._hooks(source)], rights)
        return {"given": is_given, "rights": str(rights)}

    def _hooks(self, source: str) -> Sequence[Hook]:
        return [hook for hook in self._state.found.hooks if hook.source == source and not hook.fault]


class UserDecides:
    """Policy that asks the user about rights of hooks in every approval mode. No grant covers them."""

    name = "user-decides"

    def judge(self, call: inarch.ToolCall, tool: inarch.Tool) -> inarch.Verdict:
        """Ask about this tool."""
        if tool.name != ALLOW:
            return inarch.Verdict("allow")
        file = call.arguments.get("file")
        reason = f"hooks of {file} failed because the sandbox denied them rights"
        if call.arguments.get("list"):
            reason = f"{file} lists calls that need no question"
        return inarch.Verdict("ask", reason, person=True)
