"""Which later call of a turn did what a failed one could not, read from the events of calls.

Nothing of it is recorded: the events say enough, also those of sessions that older versions kept.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from attrs import define, field

from inarch.contract.event import Event

Data = Mapping[str, Any]
_NAME = re.compile(r"\w+")
_PATHS = ("file_path", "filePath", "path", "new_path", "directory", "file_paths", "paths")
"""Arguments that say what a call is about, if it failed before it was known what it would do."""


@define(eq=False)
class _Tried:
    """A call so far; `failed` is the error that ended it, None if none did."""

    id: str
    name: str
    arguments: Data = field(factory=dict)
    effects: Data = field(factory=dict)
    failed: Data | None = None


@define(eq=False, repr=False)
class Recoveries:
    """Takes the events of a session in; `of` has the later call's id for each failed call of any turn.

    A call recovers a failed one if it began after that one's end in the same turn and went well. Its tool is the same,
    or one that the error's remedy names. It wrote every path that the failed one was to write, or read every path that
    it was to read. A call without paths has to have the same arguments. One that was refused for its name or arguments
    is recovered by the next such call that goes well, about the same paths if it named any.
    """

    of: dict[str, str] = field(factory=dict)
    _calls: dict[str, _Tried] = field(init=False, factory=dict)
    _failed: list[_Tried] = field(init=False, factory=list)
    _before: dict[str, list[_Tried]] = field(init=False, factory=dict)

    def take(self, event: Event) -> str:
        """Take in an event; return the id of the failed call that it recovers, empty for none."""
        data = event.data
        if event.kind == "turn.started":
            self._calls, self._failed, self._before = {}, [], {}
        elif event.kind == "call.state":
            self._state(data)
        elif event.kind == "call.result":
            return self._result(data)
        return ""

    def _state(self, data: Data) -> None:
        call_id = str(data.get("call_id"))
        tried = self._calls.get(call_id)
        if tried is None:
            tried = self._calls[call_id] = _Tried(call_id, str(data.get("name")))
            self._before[call_id] = list(self._failed)
        call = _mapping(data.get("call"))
        tried.arguments = _mapping(call.get("arguments")) or tried.arguments
        tried.effects = _mapping(data.get("effects")) or tried.effects

    def _result(self, data: Data) -> str:
        tried, result = self._calls.get(str(data.get("call_id"))), _mapping(data.get("result"))
        if tried is None or tried.failed is not None:
            return ""
        if data.get("status") == "error":
            tried.failed = _mapping(result.get("error"))
            self._failed.append(tried)
        elif data.get("status") == "success":
            for failed in self._before[tried.id]:
                if failed.id not in self.of and _recovers(tried, failed):
                    self.of[failed.id] = tried.id
                    self._failed.remove(failed)
                    return failed.id
        return ""


def _recovers(later: _Tried, failed: _Tried) -> bool:
    error = failed.failed or {}
    remedy = str(error.get("remedy") or "").partition("tools: ")[0]  # what follows is a list of all there are
    if later.name != failed.name and later.name not in _NAME.findall(remedy):
        return False
    for kind in ("writes", "reads"):
        if paths := _paths(failed, kind):
            return paths <= _paths(later, kind)
    if not failed.effects:  # it was refused before it was known what it would do
        return _named(failed.arguments) <= _named(later.arguments)
    return later.arguments == failed.arguments


def _paths(tried: _Tried, kind: str) -> set[str]:
    found = tried.effects.get(kind)
    return {path for path in found if isinstance(path, str)} if isinstance(found, (list, tuple)) else set()


def _named(arguments: Data) -> set[str]:
    given = (arguments.get(name) for name in _PATHS)
    return {path for one in given for path in (one if isinstance(one, list) else [one]) if isinstance(path, str)}


def _mapping(value: Any) -> Data:
    return value if isinstance(value, Mapping) else {}
