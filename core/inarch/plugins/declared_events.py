"""Kinds of events that plugins declare, and the check of their records."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from attrs import define, field

from inarch.contract.codec import to_data
from inarch.contract.event_parts import PluginEvent
from inarch_lib.schemas.validation import Schema
from inarch_sdk.bounds import fault_of

if TYPE_CHECKING:
    from inarch.contract.event_parts import EventKind
    from inarch.plugins.composition import Bound

LARGEST = 65_536
"""Bytes of an event's data; longer data belongs in the plugin's own folder or in a call's result."""


def _by_kind(declared: Iterable[Bound[EventKind]]) -> dict[str, Schema]:
    return {f"{one.plugin}.{one.value.name}": Schema(one.value.schema, "member") for one in declared}


@define(eq=False, repr=False)
class DeclaredEvents:
    """Kinds of events that the plugins of a composition declare."""

    _schemas: Mapping[str, Schema] = field(factory=tuple, converter=_by_kind)

    def checked(self, plugin: str, name: str, data: Mapping[str, Any]) -> PluginEvent:
        """Return a plugin's record as a payload for the journal.

        Raises:
            TypeError: The data is not an object, or has no JSON form.
            ValueError: The plugin declares no such kind, or the data does not match its schema.
        """
        kind = f"{plugin}.{name}"
        schema = self._schemas.get(kind)
        if schema is None:
            known = ", ".join(sorted(one for one in self._schemas if one.rpartition(".")[0] == plugin)) or "none"
            raise ValueError(f"there is no event {kind!r}: {plugin!r} declares {known} with inarch_events")
        if not isinstance(data, Mapping):
            raise TypeError(f"event {kind}: its data must be an object, not {type(data).__name__}")
        if fault := fault_of(data):
            raise ValueError(f"event {kind}: {fault}")
        text = json.dumps(to_data(data))
        if len(text) > LARGEST:
            raise ValueError(f"event {kind}: {len(text):,} bytes are more than the {LARGEST:,} that an event may have")
        plain = json.loads(text)
        if faults := schema.faults(plain):
            raise ValueError(f"event {kind}: {'; '.join(faults)}")
        return PluginEvent(kind, plain)
