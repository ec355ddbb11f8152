"""Bodies and the events of our own service, checked against the types of OpenAI's SDK; skipped without it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

import inarch
from inarch.testing import HttpServer

from ..services.openai_api import KEY, OpenAIService
from .wire import compose

sdk = pytest.importorskip("openai")
if int(sdk.__version__.partition(".")[0]) < 3:
    pytest.skip("the types of openai 2 know nothing of phases", allow_module_level=True)
PICTURE = inarch.Image("image/png", b"x")


def test_bodies_and_events_are_of_the_sdks_types(tmp_path: Path) -> None:
    from openai.types.responses import ResponseStreamEvent
    from openai.types.responses.response_create_params import ResponseCreateParamsStreaming
    from pydantic import TypeAdapter

    from ..services.typed import wrong

    service = OpenAIService()

    async def go(url: str) -> None:
        async with compose(tmp_path / "w", url, profile={"effort": "max"}) as app:
            session = app.session()
            for prompt in ("both 2", "commentary", "refuse", "call 1"):
                await session.run(prompt)
            provider = app.composition.models["openai"].value
            shown = inarch.ResultPart("c", "call_9", "a", inarch.ToolResult(True, "here", images=(PICTURE,)))
            called = inarch.Message("assistant", (inarch.CallPart("c", "call_9", "a", {}),))
            asked = inarch.Message("user", (inarch.Text("what is it"), PICTURE))
            messages = (asked, called, inarch.Message("tool", (shown,)))
            schema = {"type": "object", "properties": {}}
            tool = inarch.ToolSpec("a", "b", schema)
            request = inarch.ModelRequest(
                "gpt-6.2-sol", "s", messages, (tool,), "required", schema, max_output_tokens=1, effort="minimal"
            )
            assert [delta async for delta in provider.answer(request)]

    with HttpServer([service.reply]) as server:
        asyncio.run(go(server.url))
    assert service.refusals == []
    for body in service.bodies:
        assert wrong(body, ResponseCreateParamsStreaming) == []
    union: TypeAdapter[Any] = TypeAdapter(ResponseStreamEvent)
    for event in service.events:
        read = union.validate_python(event)
        assert json.loads(read.model_dump_json(exclude_unset=True)) == event
    assert KEY not in json.dumps(service.bodies)
