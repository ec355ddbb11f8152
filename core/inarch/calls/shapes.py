"""Which calls are alike: what a lasting approval covers, and what an answer is bound to."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from attrs import frozen

from inarch.calls.call_order import normalised
from inarch.contract.capabilities import Shaped, able
from inarch.contract.errors import InarchError
from inarch.contract.guard import guarded
from inarch.contract.ports import Tool
from inarch.contract.records import ChosenRights, Effects, ToolCall

if TYPE_CHECKING:
    from inarch.contract.approval_records import RightsOffer
    from inarch.plugins.composition import Bound

LONGEST_SHAPE = 200
"""Characters; what a person can't take in at a glance is not offered."""


@frozen(eq=False, repr=False)
class Shape:
    """Calls that are alike: equal `key`s; `words` say what they have in common."""

    key: str
    words: str


def digest(name: str, arguments: Mapping[str, Any], rights: ChosenRights | None = None) -> str:
    """Return the SHA-256 of a call's name, final arguments and what was chosen beside them, in canonical JSON."""
    return _hash({"name": name, "arguments": arguments} | ({"rights": rights} if rights else {}))


def offered_shape(call: ToolCall, offer: RightsOffer) -> Shape:
    """Return the shape of a call whose rights can be chosen: this very one, whatever rights it has."""
    lead = f"{offer.words} with " if offer.chosen else offer.words
    listed = ", ".join(" ".join((name, *values)) for name, values in offer.chosen.items())
    return Shape(_hash({"tool": call.name, "words": offer.words}), f"{lead}{listed}")


def schema_digest(tool: Tool) -> str:
    """Return the SHA-256 of a tool's input schema in canonical JSON."""
    return _hash(tool.input_schema)


def shape_of(call: ToolCall, bound: Bound[Tool], effects: Effects) -> Shape:
    """Return a call's shape: what its tool says, else the files it changes, else this very call."""
    words = _own_words(bound, call.arguments)
    if words is not None:
        return Shape(_hash({"tool": call.name, "shape": words}), words)
    if bound.value.category == "file" and effects.writes and not effects.exclusive:
        paths = sorted({normalised(path) for path in effects.writes})
        return Shape(_hash({"tool": call.name, "paths": paths}), f"{call.name} on {_listed(paths)}")
    return Shape(digest(call.name, call.arguments), f"this very call of {call.name}")


def _own_words(bound: Bound[Tool], arguments: Mapping[str, Any]) -> str | None:
    """Return the tool's own words for a shape; a tool that fails at it, or says too much, offers none."""
    tool = able(bound.value, Shaped)
    if tool is None:
        return None
    try:
        with guarded(bound.plugin, "tool", passes=()):
            words = tool.shape(arguments)
    except InarchError:
        return None
    return words if isinstance(words, str) and words.strip() and len(words) <= LONGEST_SHAPE else None


def _listed(paths: list[str]) -> str:
    return ", ".join(path or "the whole workspace" for path in paths[:5]) + (", …" if len(paths) > 5 else "")


def _hash(value: Any) -> str:
    import hashlib

    text = json.dumps(value, sort_keys=True, separators=(",", ":"), default=repr)
    return hashlib.sha256(text.encode()).hexdigest()
