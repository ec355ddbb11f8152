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
            json.loads("".join(self.arguments), strict=False)
        except (ValueError, RecursionError):
            return False
        return True


@define(eq=False, repr=False)
class Numbering:
    """Gives the calls of one reply their positions.

    Servers are seen that number every call 0, that give no index, no id, the same id to all, id and arguments under
    different indexes, or the arguments as an object instead of its text. An id that is taken is dropped: the kernel
    gives the call one of its own.
    """

    _by_index: dict[object, _Call] = field(init=False, factory=dict)
    _by_id: dict[str, _Call] = field(init=False, factory=dict)
    _last: _Call | None = field(init=False, default=None)
    _calls: list[_Call] = field(init=False, factory=list)

    @property
    def count(self) -> int:
        """How many calls there are."""
        return len(self._calls)

    @property
    def are_whole(self) -> bool:
        """Whether there are calls, each with whole arguments."""
        return bool(self._calls) and all(call.is_whole for call in self._calls)

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
        known = self._by_id.get(call_id) if call_id else None
        call = (known if call_id else self._last) if index is None else self._by_index.get(index)
        if known is not None and not name:
            call = known  # its id is surer than its index
        elif call is None and index is not None:
            call = self._at_another_index(index, known, call_id or name)
        if call is None or not name:
            return call
        if call_id and call_id == call.id:
            return None if arguments and call.is_whole else call
        return None if (call_id and call.id) or call.is_whole else call

    def _at_another_index(self, index: object, known: _Call | None, begins: str) -> _Call | None:
        """Return the call whose rest comes under an index of its own (danny-avila/LibreChat#13987)."""
        call = self._last if not begins else known if known is not None and not any(known.arguments) else None
        if call is None or call.is_whole:
            return None
        self._by_index[index] = call
        return call

    def _new(self, index: object, call_id: str) -> _Call:
        if call_id in self._by_id:
            call_id = ""
        call = _Call(self.count, call_id)
        self._calls.append(call)
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
