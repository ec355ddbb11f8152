"""The keys that LiteLLM's services take: what the metadata offers, and what is refused without one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

import inarch
from inarch.plugins.discovery import own_ready
from inarch_plugins.litellm import Settings
from inarch_plugins.litellm.provider import LiteLLM
from inarch_plugins.litellm.service_keys import SEVERAL, WITH_KEY, variable_of

OWN_WIRES = {"gemini", "openrouter"}
LOGS_IN = {"github_copilot"}  # asking it what it needs begins to log in
GATEWAYS = {"clf_ai_gateway"}  # others' models, resold at an address of its own: not offered (LiteLLM 1.110.2)
SINGLE_KEYS = """
import asyncio, json, sys
from inarch_plugins.litellm.library import library

litellm = asyncio.run(library())
talking = {
    row["litellm_provider"]: name
    for name, row in litellm.model_cost.items()
    if row.get("mode") in ("chat", "responses") and row.get("supports_function_calling")
}
found = {}
for service, name in talking.items():
    if service not in sys.argv[1:]:
        model = name if name.startswith(f"{service}/") else f"{service}/{name}"
        missing = litellm.validate_environment(model)["missing_keys"]
        if len(missing) == 1 and missing[0].endswith("_KEY"):
            found[service] = missing[0]
print(json.dumps(found))
"""


def test_the_offers_are_of_services_with_a_key_and_of_models_that_call_tools() -> None:
    offers = {one.model: one.needs for one in own_ready() if one.plugin == "litellm"}
    others = {
        "openai",
        "anthropic",
        "vercel_ai_gateway",
    }  # have providers of their own, or no name that is known to live
    assert {model.partition("/")[0] for model in offers} == WITH_KEY - others
    assert all(variable == variable_of(model.partition("/")[0]) for model, variable in offers.items())
    provider = LiteLLM(Settings(), {})
    assert [model for model in offers if provider.find(model) is None] == []


@pytest.mark.once
def test_litellm_itself_wants_these_keys_and_of_no_other_service_exactly_one() -> None:
    kept = {name: value for name, value in os.environ.items() if not name.endswith(("KEY", "TOKEN"))}
    apart = [sys.executable, "-c", SINGLE_KEYS, *(OWN_WIRES | LOGS_IN | GATEWAYS)]  # requests change what it answers
    done = subprocess.run(apart, env=kept, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == {service: variable_of(service) for service in WITH_KEY}


@pytest.mark.parametrize(
    ("model", "settings", "environ", "missing"),
    [
        ("openai/gpt-5", {}, {}, "OPENAI_API_KEY"),
        ("openai/gpt-5", {}, {"OPENAI_API_KEY": "  "}, "OPENAI_API_KEY"),
        ("openai/gpt-5", {}, {"OPENAI_API_KEY": "k"}, ""),
        ("openai/gpt-5", {"api_key_env": "ACME_KEY"}, {"OPENAI_API_KEY": "k"}, "ACME_KEY"),
        ("openai/gpt-5", {"api_key_env": ""}, {}, ""),
        ("openai/gpt-5", {"api_base": "http://127.0.0.1:9"}, {}, ""),
        ("openai/gpt-5", {"extra": {"api_key": "k"}}, {}, ""),
        ("together_ai/x", {}, {}, "TOGETHERAI_API_KEY"),
        ("together_ai/x", {}, {"TOGETHER_API_KEY": "k"}, "TOGETHERAI_API_KEY"),  # the library would not see it
        ("bedrock/x", {}, {}, ""),
        ("gpt-5", {}, {}, ""),
        ("", {}, {}, ""),
    ],
)
def test_a_model_without_its_key_is_refused_by_the_variables_name(
    model: str, settings: dict[str, Any], environ: dict[str, str], missing: str
) -> None:
    provider = LiteLLM(Settings(**settings), environ)
    if not missing:
        provider.check_key(model)
        return
    with pytest.raises(inarch.ProviderError, match=f"{missing} is not set"):
        provider.check_key(model)


@pytest.mark.parametrize("service", sorted(SEVERAL))
def test_a_service_that_takes_several_variables_is_told_and_not_refused(service: str) -> None:
    first, *rest = SEVERAL[service]
    said = LiteLLM(Settings(), {first: "k"}).check_key(f"{service}/x")
    assert f"(not set: {', '.join(rest)})" in said and first in said
    assert LiteLLM(Settings(), dict.fromkeys(SEVERAL[service], "k")).check_key(f"{service}/x") == ""
    assert LiteLLM(Settings(api_base="http://127.0.0.1:9"), {}).check_key(f"{service}/x") == ""
