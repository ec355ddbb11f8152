"""Which call a fragment belongs to: by its index, and where servers number carelessly, by what else it tells."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from attrs import define, field

from inarch import CallDelta, ProviderError


@define(eq=False, repr=False)
class _Call:
    position: int
    id: str
    arguments: list[str] = field(factory=list)

    @property
    def is_whole(self) -> bool:
        """Whether its arguments can't go on."""
        if not self.arguments or not self.arguments[-1].rstrip().endswith("}"):
            return False
        try:
            json.loads("".join(self.arguments))
        except (ValueError, RecursionError):
            return False
        return True


@define(eq=False, repr=False)
class Numbering:
    """Gives the calls of one reply their positions.

    Servers are seen that number every call 0, that give no index, no id, the same id to all, or the arguments as an
    object instead of its text. An id that is taken is dropped: the kernel gives the call one of its own.
    """

    _by_index: dict[object, _Call] = field(init=False, factory=dict)
    _by_id: dict[str, _Call] = field(init=False, factory=dict)
    _last: _Call | None = field(init=False, default=None)
    count: int = field(init=False, default=0)

    def delta(self, fragment: Mapping[str, Any]) -> CallDelta:
        """Return a fragment as a delta of its call."""
        function = fragment.get("function")
        function = function if isinstance(function, Mapping) else {}
        call_id, name, arguments = _text(fragment.get("id")), _text(function.get("name")), function.get("arguments")
        if not isinstance(arguments, str):
            arguments = _encoded(arguments) if isinstance(arguments, (Mapping, list)) else ""
        index = fragment.get("index")
        index = index if isinstance(index, (int, str)) else None
        call = self._found(index, call_id, name, arguments)
        if call is None:
            call = self._new(index, call_id)
        self._last = call
        call.arguments.append(arguments)
        return CallDelta(call.position, call.id, name, arguments)

    def _found(self, index: object, call_id: str, name: str, arguments: str) -> _Call | None:
        """Return the call that a fragment goes on with, None if it begins one."""
        without_index = self._by_id.get(call_id) if call_id else self._last
        call = without_index if index is None else self._by_index.get(index)
        if call is None or not name:
            return call
        if call_id and call_id == call.id:
            return None if arguments and call.is_whole else call
        return None if (call_id and call.id) or call.is_whole else call

    def _new(self, index: object, call_id: str) -> _Call:
        if call_id in self._by_id:
            call_id = ""
        call = _Call(self.count, call_id)
        self.count += 1
        if index is not None:
            self._by_index[index] = call
        if call_id:
            self._by_id[call_id] = call
        return call


def _encoded(arguments: Any) -> str:
    """Return arguments that came as an object as their text.

    Raises:
        ProviderError: They are nested deeper than can be written.
    """
    try:
        return json.dumps(arguments)
    except RecursionError:
        raise ProviderError("malformed", "the arguments of a call are nested too deeply", retryable=True) from None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
