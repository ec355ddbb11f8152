"""A bare model's name is given its provider by the table of known models."""

from __future__ import annotations

import pytest

from inarch_sdk.naming import full_names

PLACES = ("gemini", "openrouter", "offline", "litellm/openai", "litellm/anthropic", "litellm/cerebras", "litellm/groq")


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("gpt-5", ["litellm/openai/gpt-5"]),  # its own service, though others resell it
        ("claude-sonnet-5-5", ["litellm/anthropic/claude-sonnet-5-5"]),
        ("gemini-2.5-pro", ["gemini/gemini-2.5-pro"]),
        ("openai/gpt-5", ["litellm/openai/gpt-5"]),
        ("groq/openai/gpt-oss-20b", ["litellm/groq/openai/gpt-oss-20b"]),
        ("none-such", []),
        ("", []),
        ("/", []),
        ('"', []),
        ("sample_spec", []),
    ],
)
def test_what_a_name_may_mean(name: str, found: list[str]) -> None:
    assert full_names(name, PLACES) == found


def test_each_that_knows_it_is_named() -> None:
    found = full_names("gpt-oss-120b", ("litellm/cerebras", "litellm/fireworks_ai", "offline"))
    assert found == ["litellm/cerebras/gpt-oss-120b", "litellm/fireworks_ai/gpt-oss-120b"]
