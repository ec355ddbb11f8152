"""What the service says of its models is used."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from gemini_wire import KEY

import inarch
import inarch_plugins.gemini
from inarch.testing import HttpServer, json_reply

FIRST = {
    "models": [
        {
            "name": "models/gemini-flash-latest", "description": "Fast\nand new", "inputTokenLimit": 1_048_576,
            "outputTokenLimit": 65_536, "supportedGenerationMethods": ["generateContent"], "thinking": True,
        },
        {"name": "models/embedding", "supportedGenerationMethods": ["embedContent"]},
        {"no": "name"}, 5,
    ],
    "nextPageToken": "a/b",
}  # fmt: skip
SECOND = {"models": [{"name": "models/plain", "displayName": "Plain", "inputTokenLimit": "many"}]}


def provider(url: str, folder: Path) -> Any:
    settings = inarch_plugins.gemini.Settings(base_url=url, silence_s=1.0)
    environ = {"GEMINI_API_KEY": f" {KEY}\n"}
    context = inarch.PluginContext("gemini", ".", settings, cache_dir=str(folder), environ=environ)
    (made,) = inarch_plugins.gemini.inarch_models(context)
    return made


def test_models_are_listed_page_by_page_and_their_limits_remembered(tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "gemini"

    async def listed(url: str) -> Any:
        gemini = provider(url, folder)
        assert gemini.limits("gemini-flash-latest") == inarch.Limits()
        found = await gemini.models()
        assert gemini.limits("gemini-flash-latest") == inarch.Limits(1_048_576, 65_536)
        assert gemini.limits("plain") == inarch.Limits() and gemini.price("gemini-flash-latest") is None
        await gemini.close()
        await gemini.close()
        return found

    routes = {
        "GET /models?pageSize=1000": json_reply(FIRST),
        "GET /models?pageSize=1000&pageToken=a%2Fb": json_reply(SECOND),
    }
    with HttpServer(routes=routes) as server:
        found = asyncio.run(listed(server.url))
    assert found == [
        inarch.ModelInfo("gemini-flash-latest", "Fast and new", 1_048_576),
        inarch.ModelInfo("plain", "Plain", None),
    ]
