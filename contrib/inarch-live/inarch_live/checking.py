"""What `inarch doctor` says of talking: the service's key, and microphone and speaker."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.util import find_spec

import inarch
from inarch_live import Settings
from inarch_live.known import KEYS
from inarch_live.services import default_model, service_of


def look(settings: Settings, environ: Mapping[str, str]) -> Iterator[inarch.Finding]:
    """Yield what was found; nothing is sent and no device is opened."""
    model = default_model(settings, environ)
    variable = KEYS[service_of(model, settings, environ)]
    if environ.get(variable, "").strip():
        yield inarch.Finding("live", "fine", f"{model}; {variable} is set")
    else:
        keys = " or ".join(KEYS.values())
        yield inarch.Finding("live", "note", f"{variable} is not set, so that inarch live has no model", f"set {keys}")
    if find_spec("miniaudio") is None:
        yield inarch.Finding(
            "live", "note", "no library for microphone and speaker: inarch live takes --audio-in and --audio-out",
            "pip install 'inarch-live[audio]'",
        )  # fmt: skip
    else:
        yield inarch.Finding("live", "fine", "microphone and speaker through miniaudio")
