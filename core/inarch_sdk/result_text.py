"""Text of a tool's result for a model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from attrs import evolve

from inarch.contract.codec import to_data
from inarch.contract.records import ToolResult
from inarch_lib.output.escapes import shown

CHANGED_BY_USER = "changed_by_user"
"""Key of a result's metadata: arguments that the user changed before the call ran, by name."""

NOT_ASKED = "no model is asked with this prompt"
"""Why a turn was decided without a model, if a plugin withholds its prompt from models."""
REWRITTEN = "rewritten"
"""Key of a result's metadata: which plugin rewrote the call before approval (`by`), and the `arguments` it changed."""

ADDED = "added"
"""Key of a result's metadata: texts that plugins added to it, each with `by`."""

ANSWER = "answer"
"""Key of a result's metadata: a text that ends the turn as its answer."""

NO_ANSWER = "{name} needs approval and was given none"
"""Reason of a denied call that the user did not answer. Records store it, and replay recognizes it."""
USER_DENIED = "the user denied {name}"
"""Reason of a call that the user denied without a comment. Records store it, and replay recognizes it."""
HELD_REMEDY = "or run with --approve auto: the sandbox holds it"
"""Remedy of a call that was denied because there was no user to ask."""

READ_AS_ADDED = "absolute, and read as below an added folder"
READ_AS_RELATIVE = "absolute, and read as relative to the workspace root"
"""The end of the note in a result's `repaired` about a path."""

LONGEST_NAME = 80
"""Characters of a wrong tool name that the model sees."""
_NAMED = "The name of this tool is"


def result_text(result: ToolResult) -> str:
    """Return a result as text: its data, or its error with the remedy and any data.

    Arguments that the user changed come first, so that the model does not assume that its own ran. Repaired names and
    paths come first, too.

    A text of several lines follows the other members as it is, without JSON escapes: models read it better, and it
    needs fewer tokens. Members that are null, or say that nothing was cut, are then omitted.
    """
    text = _data_text(result.data) if result.data is not None or result.error is None else ""
    if result.error is not None:
        error = f"error ({result.error.code}): {result.error.message} {result.error.remedy}".rstrip()
        text = f"{error}\n{text}" if text else error
    repaired = map(str, result.metadata.get("repaired") or ())
    told = [one for one in repaired if one.endswith(READ_AS_RELATIVE) or one.startswith(_NAMED)]
    text = "\n".join([*told, text])
    rewritten = result.metadata.get(REWRITTEN) or {}
    changed = (
        (f"The plugin {rewritten.get('by')}", rewritten.get("arguments")),
        ("The user", result.metadata.get(CHANGED_BY_USER)),
    )
    changes = [f"{who} changed the arguments of this call to:\n{_data_text(now)}\n\n" for who, now in changed if now]
    text = f"{''.join(changes)}Its result:\n{text}" if changes else text
    added = [f"Added by {one['by']}:\n{one['text']}" for one in result.metadata.get(ADDED) or ()]
    return "\n\n".join([text, *added])


def with_added(result: ToolResult, by: str, text: str, data: Any = None) -> ToolResult:
    """Return a result with one more text for the model below it, if any, and with other data unless they are None."""
    metadata = dict(result.metadata)
    if text:
        metadata[ADDED] = [*(metadata.get(ADDED) or ()), {"by": by, "text": text}]
    if data is None:
        return evolve(result, metadata=metadata)
    metadata.pop("output_ref", None)  # the stored output is that of the original
    return evolve(result, data=data, metadata=metadata)


def named_note(name: str, called: str) -> str:
    """Return the note in a result's `repaired` that the model called the tool by another name."""
    return f"{_NAMED} {name}, not {shown(called)[:LONGEST_NAME]}."


def held_text(by: str, reason: str) -> str:
    """Return the model's message when the end of its turn is held back."""
    if not by:  # the answer itself
        return f"That can't be the answer: {reason}\nAnswer again, with the JSON alone."
    return f"The plugin {by} holds back the end of this turn: {reason}\nSee to that, then finish."


def _data_text(data: Any) -> str:
    if isinstance(data, str):
        return data
    if not isinstance(data, Mapping):
        return json_text(data)
    texts = [name for name, value in data.items() if isinstance(value, str) and "\n" in value]
    if not texts:
        return json_text(data)
    longest = max(texts, key=lambda name: len(data[name]))
    others = {name: value for name, value in data.items() if name != longest and not _is_silent(name, value)}
    return f"{json_text(others)}\n{longest}:\n{data[longest]}" if others else str(data[longest])


def _is_silent(name: str, value: Any) -> bool:
    return value is None or (name == "truncated" and value is False)


def json_text(data: Any) -> str:
    """Encode data as compact JSON."""
    return json.dumps(to_data(data), ensure_ascii=False, separators=(",", ":"))
