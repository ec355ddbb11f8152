"""The plugin is there, the library is not."""

from __future__ import annotations

import importlib.machinery
from pathlib import Path
from typing import Any

import pytest

import inarch


def test_without_the_library_there_is_the_command_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.machinery.PathFinder.find_spec

    def without(name: str, path: Any = None, target: Any = None) -> Any:
        return None if name == "litellm" else find(name, path, target)

    monkeypatch.setattr(importlib.machinery.PathFinder, "find_spec", without)
    flags = {"model": "litellm/openai/x"}
    app = inarch.compose(root=tmp_path, config={}, flags=flags, environ={"HOME": str(tmp_path)}, journal=False)
    refused = next(one for one in app.composition.refused if one.name == "litellm")
    app.close()
    assert "LiteLLM, which is not installed" in refused.reason and refused.remedy == "pip install litellm"
