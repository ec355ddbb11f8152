"""Every test has a home of its own: none touches the configuration, state or caches of the person who runs it."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    for name in ("CONFIG", "STATE", "CACHE", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(home / name.lower()))
    for name in ("GEMINI_API_KEY", "OPENROUTER_API_KEY", "INARCH_PROFILE", "INARCH_CONFIG", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return home
