"""Keys: an editor is told by which variable, and nobody answers in the place of a model whose key is missing."""

from __future__ import annotations

from typing import Any

import pytest
from acp import RequestError

ALL = {"gemini": "GEMINI_API_KEY", "openrouter": "OPENROUTER_API_KEY", "openai": "OPENAI_API_KEY",
       "anthropic": "ANTHROPIC_API_KEY"}  # fmt: skip
KEYED = 'api_key_env = "ACME_KEY"'


def code_of(error: pytest.ExceptionInfo[RequestError]) -> int:
    return error.value.code


@pytest.mark.parametrize(
    ("model", "ways"),
    [
        ("openai-compatible/m", ALL),
        ("openrouter/acme/large", {"openrouter": "OPENROUTER_API_KEY", **ALL}),
        ("litellm/mistral/large", {"litellm/mistral": "MISTRAL_API_KEY", **ALL}),
    ],
)  # fmt: skip
async def test_the_variables_are_named_that_of_the_model_first(desk: Any, model: str, ways: dict[str, str]) -> None:
    async with desk.editor("--model", model) as (_, connection, _process):
        offered = (await connection.initialize(1)).auth_methods
        assert {one.type for one in offered} == {"env_var"}
        assert [(one.id, one.vars[0].name) for one in offered] == list(ways.items())


async def test_a_session_with_a_model_without_its_key_is_refused_with_the_variable(desk: Any) -> None:
    async with desk.editor("--model", "openrouter/acme/large") as (_, connection, _process):
        for refused in (
            lambda: connection.new_session(str(desk.root), mcp_servers=[]),
            lambda: connection.authenticate(method_id="openrouter"),
        ):
            with pytest.raises(RequestError, match="OPENROUTER_API_KEY is not set") as error:
                await refused()
            assert code_of(error) == -32000
        with pytest.raises(RequestError, match="one of openrouter, gemini") as error:
            await connection.authenticate(method_id="acme")
        assert code_of(error) == -32602
    desk.keys = {"OPENROUTER_API_KEY": "k"}
    async with desk.editor("--model", "openrouter/acme/large") as (_, connection, _process):
        await connection.authenticate(method_id="openrouter")
        assert (await connection.new_session(str(desk.root), mcp_servers=[])).session_id
