"""Output of `inarch policy explain`: the verdict of every layer, and the rules for each command of a line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import groupby
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inarch import App
    from inarch.host import Rule


def origin(app: App, key: str) -> str:
    """Return the source of a key in the configuration."""
    return str(app.config.origins.get(key, ""))


def rule_data(app: App, rule: Rule) -> dict[str, Any]:
    """Return a rule as data, with its source."""
    from datetime import UTC, datetime

    position = next(index for index, other in enumerate(app.config.rules) if other is rule)
    expired = not rule.counts_at(datetime.now(UTC))
    where = origin(app, f"rules[{position}]")
    return {"decision": rule.decision, "rule": str(rule), "origin": where, "expired": expired}


def explained(app: App, found: Any) -> dict[str, Any]:
    """Return an explanation as data."""
    from inarch import to_data
    from inarch_sdk.modes import NAMES

    modes: dict[str, str] = {}
    for mode in () if found.decision == "invalid" else NAMES:  # the strictest first
        said = app.parts.tools.explain(
            found.call.name, found.call.arguments, app.workspace, heeds_grants=True, mode=mode
        )
        held = " (the sandbox holds it)" if "; the sandbox holds it" in said.reason else ""
        modes[mode] = {"ask": "asks", "deny": "denies"}.get(said.decision, f"runs{held}")
    return {
        "tool": found.call.name,
        "arguments": to_data(found.call.arguments),
        "decision": found.decision,
        "reason": found.reason,
        "by": found.by,
        "mode": app.config.profile.approve,
        "modes": modes,
        "question": found.question,
        "shape": found.shape,
        "effects": to_data(found.effects),
        "policies": [
            {"policy": said.policy, "plugin": said.plugin, "decision": said.verdict.decision,
             "reason": said.verdict.reason}
            for said in found.opinions
        ],
        "rules": [_rule_said(app, rule, found) for rule in found.rules],
        "parts": _parts(app, found),
        "approved_for_project": found.approved,
        "allows": found.allows,
        "forbids": found.forbids,
    }  # fmt: skip


def explained_lines(data: Mapping[str, Any]) -> list[str]:
    """Return an explanation as lines of text."""
    lines = [f"{data['tool']} {json.dumps(data['arguments'], ensure_ascii=False)}"]
    lines.append(f"{data['decision']}: {data['reason']}")
    if data["decision"] == "invalid":
        return lines
    modes = groupby(data["modes"].items(), lambda one: one[1])
    outcomes = [f"{', '.join(name for name, _ in those)}: {outcome}" for outcome, those in modes]
    lines += ["", f"  mode {data['mode']}: {data['question'] or 'does not ask'}"]
    lines.append(f"  modes: {' · '.join(outcomes)}")
    for said in data["policies"]:
        reason = said["reason"] or "no objection"
        lines.append(f"  policy {said['policy']} ({said['plugin']}): {said['decision']}: {reason}")
    lines += [f"  {_said(rule)}" for rule in data["rules"]]
    if any({**part, "command": ""} != {**data["parts"][0], "command": ""} for part in data["parts"]):
        lines += [
            f"  part {number}, {part['command']}: {said}"
            for number, part in enumerate(data["parts"], 1)
            for said in [_said(rule) for rule in part["rules"]] or [part["allowed"] or "no rule"]
        ]
    approved = f"covers it ({data['shape']})" if data["approved_for_project"] else "no such call"
    lines.append(f"  approved for this project: {approved}")
    if data["decision"] == "ask":
        lines += ["", "If Inarch cannot ask, it denies the call."]
    for title, text in (
        ("To let it run: ", data["allows"]),
        ("To deny it, add to the configuration:\n", data["forbids"]),
    ):
        lines += ["", *f"{title}{text}".split("\n")] if text else []
    return lines


def _rule_said(app: App, rule: Rule, found: Any) -> dict[str, Any]:
    return rule_data(app, rule) | {"holds": rule is found.holds}


def _said(rule: Mapping[str, Any]) -> str:
    return f"rule at {rule['origin']}{'' if rule['holds'] else ', overruled'}: {rule['rule']}"


def _parts(app: App, found: Any) -> list[dict[str, Any]]:
    """Return rules and grants for each command of a line; empty for a single command and for other calls."""
    from inarch import ToolFailed
    from inarch_sdk.joined_commands import Line, Part, split_line

    call = found.call
    if found.decision == "invalid" or app.composition.tools[call.name].value.category != "command":
        return []
    try:
        line = split_line(call.arguments.get("command", ""))
    except ToolFailed:
        return []
    if line.is_plain:
        return []
    parts = []
    for part in line.parts:
        # If the line starts with `cd`, grants for the root do not apply.
        alone = {**call.arguments, "command": str(Line((Part(part.words),), line.folder))}
        one = app.parts.tools.explain(call.name, alone, app.workspace)
        rules = [_rule_said(app, rule, one) for rule in one.rules]
        allowed = next((said.verdict.reason for said in one.opinions if said.grants), "")
        parts.append({"command": str(Part(part.words)), "rules": rules, "allowed": allowed})
    return parts
