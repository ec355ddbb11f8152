"""What a program sees of the next request is what its provider gets."""

from __future__ import annotations

import asyncio

import inarch
from inarch.testing import ScriptedModel, says


def test_the_request_seen_beforehand_is_the_one_that_is_sent() -> None:
    model = ScriptedModel([says("Hello."), says("Again.")])

    async def talk() -> None:
        replacing = inarch.Replacements(models=[model])
        async with inarch.compose(config={}, journal=False, replacing=replacing) as app:
            session = app.session()
            for prompt in ("first", "second"):
                seen = session.context().request
                await session.run(prompt)
                sent = model.requests[-1]
                assert (seen.system, seen.tools, seen.messages) == (sent.system, sent.tools, sent.messages[:-1])

    asyncio.run(talk())
    assert [message.text for message in model.requests[-1].messages][1:] == ["Hello.", "second"]


def test_what_is_secret_is_hidden_in_it() -> None:
    key = "sk-or-v1-" + "0123456789abcdef" * 4
    model = ScriptedModel([says("Hello.")], repeat=True)

    async def talk() -> str:
        replacing = inarch.Replacements(models=[model])
        environ = {"OPENROUTER_API_KEY": key}
        async with inarch.compose(config={}, journal=False, replacing=replacing, environ=environ) as app:
            session = app.session()
            await session.run(f"my key is {key}")
            return repr(session.context().request)

    assert key not in asyncio.run(talk())
