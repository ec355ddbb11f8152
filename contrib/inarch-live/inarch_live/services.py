"""Services and keys of models, and the check for `inarch doctor`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from importlib.util import find_spec

import inarch
from inarch_live import Settings
from inarch_live.model import LiveModel
from inarch_live.port import KEYS, MODELS, LiveProvider, unset


def service_of(model: str, settings: Settings, environ: Mapping[str, str]) -> str:
    """Return a model's service: from the settings, else by its name, else the first one whose key is set."""
    if settings.service:
        return settings.service
    if model:
        return "openai" if model.startswith(("gpt-", "openai/")) else "gemini"
    return next((name for name, key in KEYS.items() if environ.get(key, "").strip()), "gemini")


def default_model(settings: Settings, environ: Mapping[str, str]) -> str:
    """Return the model of spoken sessions."""
    return settings.model or MODELS[service_of("", settings, environ)]


def live_model(settings: Settings, environ: Mapping[str, str]) -> LiveModel:
    """Return the provider `live`."""
    return LiveModel(partial(_find, settings, environ), settings.prices, default_model(settings, environ))


def _find(settings: Settings, environ: Mapping[str, str], model: str) -> tuple[LiveProvider, str]:
    """Return the service of a model, and the model's name there.

    Raises:
        ProviderError: Its key is not set.
    """
    model = model or default_model(settings, environ)
    service = service_of(model, settings, environ)
    variable = KEYS[service]
    key = environ.get(variable, "").strip()
    if not key:
        raise unset(variable)
    name = model.removeprefix(f"{service}/")
    if service == "gemini":
        from inarch_live.wires import gemini

        return gemini.GeminiLive(key, settings.gemini_base_url or gemini.BASE_URL), name
    from inarch_live.wires import openai_realtime

    return openai_realtime.OpenAIRealtime(key, settings.openai_base_url or openai_realtime.BASE_URL), name


def look(settings: Settings, environ: Mapping[str, str]) -> Iterator[inarch.Finding]:
    """Yield findings without sending anything or opening a device."""
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
