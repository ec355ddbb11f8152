"""A page without a browser: a WebSocket client over loopback, and servers to talk to."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from attrs import define, field
from inarch_web import Settings
from inarch_web.server.web_server import Served, serving
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

import inarch
from inarch.testing import Step, scripted_app
from inarch_testing.apps import environ_in

PATIENCE_S = 60.0

Message = Mapping[str, Any]


@define(eq=False)
class Client:
    """A connection that has shown its token; `came` is all that was sent to it unasked."""

    connection: ClientConnection
    came: list[dict[str, Any]] = field(factory=list)
    hello: Message = field(factory=dict)
    _answers: dict[int, asyncio.Future[dict[str, Any]]] = field(factory=dict)
    parts: list[dict[str, Any]] = field(factory=list)
    _last: int = 0
    _news: asyncio.Condition = field(factory=asyncio.Condition)
    _reading: asyncio.Task[None] | None = None

    def begin(self) -> None:
        self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        with suppress(ConnectionClosed):
            async for text in self.connection:
                message = json.loads(text)
                async with self._news:
                    if "part" in message:
                        self.parts.append(message)
                    elif "re" in message:
                        waiting = self._answers.get(message["re"])
                        if waiting is not None and not waiting.done():
                            waiting.set_result(message)
                    else:
                        self.came.append(message)
                    self._news.notify_all()
        async with self._news:
            self._news.notify_all()
        for waiting in self._answers.values():
            if not waiting.done():
                waiting.set_result({"error": {"text": "closed", "remedy": ""}})

    async def ask(self, do: str, **message: Any) -> dict[str, Any]:
        """Send a request and return its whole answer."""
        self._last += 1
        number = self._last
        self._answers[number] = asyncio.get_running_loop().create_future()
        await self.connection.send(json.dumps({"id": number, "do": do, **message}))
        async with asyncio.timeout(PATIENCE_S):
            return await self._answers[number]

    async def do(self, do: str, **message: Any) -> Any:
        """Send a request and return its `ok`."""
        answer = await self.ask(do, **message)
        assert "ok" in answer, (do, message, answer)
        return answer["ok"]

    async def until(self, fits: Callable[[dict[str, Any]], Any], after: int = 0) -> dict[str, Any]:
        """Return the first unasked message that fits, from the one with index `after` on."""
        async with asyncio.timeout(PATIENCE_S), self._news:
            while True:
                for message in self.came[after:]:
                    if fits(message):
                        return message
                await self._news.wait()

    async def idle(self, after: int = 0) -> dict[str, Any]:
        """Return the state with which a turn has ended."""
        await self.until(lambda message: message.get("turn", {}).get("running") is False, after)
        ends = [
            n for n, message in enumerate(self.came) if message.get("turn", {}).get("running") is False and n >= after
        ]
        return await self.until(lambda message: "state" in message and message["state"]["running"] is None, ends[0])

    async def close(self) -> None:
        await self.connection.close()
        if self._reading is not None:
            await self._reading


def split(address: str) -> tuple[str, str]:
    """Return the origin and the token of an address."""
    origin, _, token = address.partition("/#")
    return origin, token


async def plain(address: str, **options: Any) -> ClientConnection:
    """Return a connection that has said nothing yet."""
    origin, _ = split(address)
    given = {"origin": origin, "max_size": 64 << 20, "compression": None, "proxy": None, **options}
    return await connect(f"{origin.replace('http', 'ws', 1)}/socket", **given)


async def enter(address: str, **options: Any) -> Client:
    """Return a client that has shown the token."""
    client = Client(await plain(address, **options))
    client.begin()
    client.hello = await client.do("hello", token=split(address)[1])
    return client


@asynccontextmanager
async def entered(address: str, **options: Any) -> AsyncIterator[Client]:
    """Hold a client that has shown the token."""
    client = await enter(address, **options)
    try:
        yield client
    finally:
        await client.close()


@asynccontextmanager
async def served(
    script: Iterable[Step],
    root: Path,
    *,
    idle_minutes: float = 60.0,
    asked: list[inarch.ModelRequest] | None = None,
    **options: Any,
) -> AsyncIterator[Served]:
    """Serve an application in this process whose model plays a script; `asked` takes the requests."""
    app, model = scripted_app(script, root, **{"journal": True, "environ": environ_in(root.parent / "home"), **options})
    model.requests = asked if asked is not None else []
    try:
        async with serving(app, Settings(idle_minutes)) as there:
            yield there
    finally:
        await app.aclose()
