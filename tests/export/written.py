"""Sessions made up of events, as each format writes them."""

from __future__ import annotations

import io
from collections.abc import Iterable

import inarch
import inarch_plugins.export
from inarch.contract.events import Event
from inarch.testing import transcript_of

EXPORTERS = {one.name: one for one in inarch_plugins.export.inarch_exporters(inarch.PluginContext("export", "."))}
FORMATS = tuple(EXPORTERS)


def export(events: Iterable[Event], form: str) -> str:
    """Return what a format makes of a session."""
    out = io.StringIO(newline="")
    EXPORTERS[form].export(transcript_of(events), out)
    return out.getvalue()
