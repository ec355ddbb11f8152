"""What the user has approved for longer than one call, and the digest that binds an approval to a call."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from attrs import define, field

from inarch.contract.records import ApprovalScope, ToolCall

LASTING: frozenset[ApprovalScope] = frozenset({"shape", "tool", "session", "project"})
"""Scopes that are remembered. `project` is remembered for the session here; keeping it longer is a rule's work."""


def digest(name: str, arguments: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a call's name and final arguments in canonical JSON."""
    import hashlib

    text = json.dumps({"name": name, "arguments": arguments}, sort_keys=True, separators=(",", ":"), default=repr)
    return hashlib.sha256(text.encode()).hexdigest()


@define(eq=False, repr=False)
class Grants:
    """Lasting approvals of one session: of one very call (`shape`), of a tool, or of everything."""

    shapes: dict[str, str] = field(factory=dict)
    tools: set[str] = field(factory=set)
    everything: bool = False

    def scope_of(self, call: ToolCall) -> ApprovalScope | None:
        """Return the scope that covers a call, None if it has to be asked about."""
        if self.everything:
            return "session"
        if call.name in self.tools:
            return "tool"
        return "shape" if self.shapes and digest(call.name, call.arguments) in self.shapes else None

    def remember(self, call: ToolCall, scope: ApprovalScope) -> None:
        """Keep an approval for as long as its scope says; `once` is not kept."""
        if scope == "session":
            self.everything = True
        elif scope in ("tool", "project"):
            self.tools.add(call.name)
        elif scope == "shape":
            self.shapes[digest(call.name, call.arguments)] = call.name

    def listed(self) -> tuple[str, ...]:
        """Return the grants in words, for the user."""
        lines = ["everything"] if self.everything else []
        lines += [f"every call of {name}" for name in sorted(self.tools)]
        return (*lines, *(f"{name}, this very call ({key[:12]})" for key, name in self.shapes.items()))

    def revoke(self) -> None:
        """Forget every grant."""
        self.shapes.clear()
        self.tools.clear()
        self.everything = False
