"""A tool's result as the text that a model reads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from inarch.contract.codec import to_data
from inarch.contract.records import ToolResult

CHANGED_BY_USER = "changed_by_user"
"""Key of a result's metadata: the arguments that a person changed before the call ran, by name."""

READ_AS_RELATIVE = "absolute, and read as relative to the workspace root"
"""How the note in a result's `repaired` ends that is about a path."""


def result_text(result: ToolResult) -> str:
    """Return a result as text: its data, or its error with what to do and what there is of data all the same.

    Where a person changed the call, that and the arguments that they changed come first: else a model believes that
    its own ones ran. Paths that were read otherwise than written come first, too.

    A member that is a text of several lines stands as it is below the others, not in the escapes of JSON: models read
    it better, and it costs fewer tokens. Beside it, what is null or says that nothing was cut says nothing.
    """
    text = _data_text(result.data) if result.data is not None or result.error is None else ""
    if result.error is not None:
        error = f"error ({result.error.code}): {result.error.message} {result.error.remedy}".rstrip()
        text = f"{error}\n{text}" if text else error
    paths = [one for one in result.metadata.get("repaired") or () if str(one).endswith(READ_AS_RELATIVE)]
    text = "\n".join([*paths, text])
    changed = result.metadata.get(CHANGED_BY_USER)
    if not changed:
        return text
    return f"The user changed the arguments of this call to:\n{_data_text(changed)}\n\nIts result:\n{text}"


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
    """Return data as JSON without the spaces that only people need."""
    return json.dumps(to_data(data), ensure_ascii=False, separators=(",", ":"))
