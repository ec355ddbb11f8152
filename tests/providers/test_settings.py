"""Settings that can't be meant are refused where they stand, not in the midst of a turn."""

import importlib
from pathlib import Path
from typing import Any

import pytest

import inarch
from inarch.config.load import load_config

MODULES = {
    "anthropic": "inarch_plugins.anthropic",
    "gemini": "inarch_plugins.gemini",
    "openrouter": "inarch_plugins.openai.openrouter",
    "openai-compatible": "inarch_plugins.openai.compatible",
    "dispatch": "inarch_plugins.dispatch",
}
RANGES = [
    *((name, key) for name in ("anthropic", "gemini", "openrouter", "openai-compatible")
      for key in ("silence_s", "requests_per_minute", "tokens_per_minute")),
    ("openai-compatible", "context_tokens"),
    ("dispatch", "max_entries"),
]  # fmt: skip


def settings(root: Path, plugin: str, table: dict[str, Any]) -> Any:
    config = load_config(str(root), config={"plugins": {plugin: table}}, environ={"HOME": str(root)})
    return config.settings(plugin, importlib.import_module(MODULES[plugin]).Settings)


@pytest.mark.parametrize(("plugin", "key"), RANGES)
@pytest.mark.parametrize("value", [0, -1])
def test_what_must_be_more_than_nothing_is_refused_by_its_key(
    tmp_path: Path, plugin: str, key: str, value: int
) -> None:
    with pytest.raises(inarch.ConfigError, match=key) as caught:
        settings(tmp_path, plugin, {key: value})
    assert str(caught.value).count(f"plugins.{plugin}.{key}") == 1
    assert getattr(settings(tmp_path, plugin, {key: 1}), key) == 1


@pytest.mark.parametrize("key", ["input_price", "output_price"])
def test_one_price_without_the_other_would_leave_the_cost_unknown(tmp_path: Path, key: str) -> None:
    with pytest.raises(inarch.ConfigError, match="together or not at all"):
        settings(tmp_path, "openai-compatible", {key: 1.0})
    free = settings(tmp_path, "openai-compatible", {"input_price": 0, "output_price": 0})
    assert (free.input_price, free.output_price) == (0, 0)
