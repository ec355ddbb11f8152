"""What would let a call run that is denied or has no user to ask: a configuration line, a mode, another way."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from inarch.calls.policy import Judgement, is_edit
from inarch.calls.rules import canonical, is_command, words_of
from inarch.contract.capabilities import SaysWhatAllows, able
from inarch.contract.errors import InarchError
from inarch.contract.guard import guarded
from inarch.contract.ports import Tool
from inarch.contract.records import ToolCall, ToolError
from inarch_lib.staging.steering_names import steers
from inarch_sdk.result_text import HELD_REMEDY

if TYPE_CHECKING:
    from inarch.calls.live_call import LiveCall


def denied(live: LiveCall, judgement: Judgement) -> ToolError:
    """Return the error of a call that a policy or the approval mode denies."""
    message = f"{live.call.name} is denied: {judgement.reason}"
    return ToolError("denied", message, _remedy_of_denied(live, judgement))


def remedy_of_unasked(live: LiveCall, kept: frozenset[str] = frozenset()) -> str:
    """Return what would have let a call run without a question, a line each: a table or rule to add, then a mode.

    Args:
        live: The call.
        kept: The promises that the workspace keeps.
    """
    held = live.judgement.held if live.judgement is not None else None
    return _narrow_remedy(live) + (f"\n{HELD_REMEDY}" if held and kept >= held else "")


def _narrow_remedy(live: LiveCall) -> str:
    by = live.judgement.by if live.judgement is not None else "mode"
    if by == "policy":
        return "run with --approve all"
    key = lifting_key(live) or key_for(live.call, live.tool.value)
    if by == "person":
        instead = live.judgement.remedy if live.judgement is not None else ""
        if live.needs_person is not None:
            return instead
        return f"{f'{instead}; or ' if instead else ''}let the user add to the configuration:\n{key}"
    flag = "run with --approve edits, or " if by == "mode" and is_edit(live.tool.value, live.effects) else ""
    return f"{flag}add to the configuration:\n{key}"


def _remedy_of_denied(live: LiveCall, judgement: Judgement) -> str:
    """Return what to do about a call that a policy or the approval mode denies."""
    if judgement.denied_in == "plan":
        return "only read for now, and propose the changes in a plan; the user decides when to start"
    if judgement.by != "policy" or judgement.denied_in == "none":
        return "run with --approve ask to be asked"
    key = "" if judgement.is_rule else lifting_key(live)
    return f"do it another way; a user who wants it adds to the configuration:\n{key}" if key else "do it another way"


def lifting_key(live: LiveCall) -> str:
    """Return the TOML that lifts a denial by a tool's own policy, as its `allowed_by` says; empty for none."""
    tool = able(live.tool.value, SaysWhatAllows)
    if tool is None:
        return ""
    try:
        with guarded(live.tool.plugin, "tool", passes=()):
            key = tool.allowed_by(live.call.arguments)
    except InarchError:
        return ""
    return key if isinstance(key, str) else ""


def key_for(call: ToolCall, tool: Tool) -> str:
    """Return the TOML that lets a call run without a question."""
    words = words_of(call, tool)
    if words is None:
        return _rule(call.name, {}, path=next(filter(steers, sorted(tool.effects(call.arguments).writes)), ""))
    if "*" in words:  # in [commands.NAME] it would match any further words
        return rule_about(call, tool, "allow")
    return command_table(words)


def rule_about(call: ToolCall, tool: Tool, decision: str) -> str:
    """Return the TOML of a rule for exactly this command, or for every call of another tool."""
    words = words_of(call, tool)
    if not is_command(call, tool):
        return _rule(call.name, {}, decision)
    text = call.arguments["command"].strip() if words is None else canonical(words)
    return _rule(call.name, {"command": re.sub(r"[*?[]", r"[\g<0>]", text)}, decision)


def command_table(words: Sequence[str]) -> str:
    """Return the TOML that grants one command, named after its program."""
    name = re.sub(r"[^A-Za-z0-9_-]", "-", words[0].rpartition("/")[2]) or "command"
    return f"[commands.{name}]\nargv = {json.dumps(list(words), ensure_ascii=False)}"


def _rule(tool: str, match: Mapping[str, Any], decision: str = "allow", path: str = "") -> str:
    """Return the TOML of a rule about a tool's calls."""
    pairs = ", ".join(f"{name} = {json.dumps(glob, ensure_ascii=False)}" for name, glob in match.items())
    lines = ["[[rules]]", f"tool = {json.dumps(tool)}", *([f"match = {{{pairs}}}"] if match else [])]
    lines += [f"path = {json.dumps(path, ensure_ascii=False)}"] if path else []
    return "\n".join([*lines, f"decision = {json.dumps(decision)}"])
