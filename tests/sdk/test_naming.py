"""A bare model's name is given its provider by the table of known models."""

from __future__ import annotations

import pytest

from inarch_sdk.prices import full_names

PLACES = ("gemini", "openrouter", "openai", "anthropic", "offline", "litellm/cerebras", "litellm/groq")


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("gpt-6.2-sol", ["openai/gpt-6.2-sol"]),
        ("o3", ["openai/o3"]),
        ("claude-sonnet-5-5", ["anthropic/claude-sonnet-5-5"]),
        ("claude-none-9", ["anthropic/claude-none-9"]),  # also what no table knows yet
        ("gemini-9-xenon", ["gemini/gemini-9-xenon"]),
        ("gpt-oss-120b", ["litellm/cerebras/gpt-oss-120b"]),  # open weights are not one company's
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
