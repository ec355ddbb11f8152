"""Floods: many messages, huge ones, and pages that don't read. The program keeps its memory, and others are served."""

from __future__ import annotations

import asyncio
import json
import socket
from contextlib import suppress
from pathlib import Path

import httpx2
import pytest
from websockets.exceptions import ConnectionClosed

from .programs import Program
from .talking import PATIENCE_S, entered, plain, served, split

MANY = 100_000


async def test_who_sends_and_reads_nothing_is_read_no_further(tmp_path: Path) -> None:
    async with Program(tmp_path) as program, entered(program.address) as other:
        connection = await plain(program.address, max_queue=1)
        await connection.send(json.dumps({"id": 0, "do": "hello", "token": split(program.address)[1]}))
        before = program.megabytes()

        async def send() -> None:
            for number in range(MANY):
                await connection.send(json.dumps({"id": number, "do": "x" * 1000}))

        sending = asyncio.create_task(send())
        await asyncio.wait([sending], timeout=10)
        assert (await other.do("sessions"))["sessions"] == []
        assert program.megabytes() - before < 64
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)
        connection.transport.abort()


@pytest.mark.parametrize("is_welcome", [True, False])
async def test_a_message_of_a_hundred_megabytes_is_refused_and_not_held(is_welcome: bool, tmp_path: Path) -> None:
    async with Program(tmp_path) as program, entered(program.address) as other:
        connection = await plain(program.address)
        if is_welcome:
            await connection.send(json.dumps({"id": 0, "do": "hello", "token": split(program.address)[1]}))
            await connection.recv()
        before = program.megabytes()
        with pytest.raises(ConnectionClosed) as closed:
            await connection.send("x" * 100_000_000)
            await connection.recv()
        assert closed.value.rcvd is None or closed.value.rcvd.code == 1009
        pieces = await plain(program.address)
        with pytest.raises(ConnectionClosed):
            await pieces.send("x" * 1_000_000 for _ in range(100))
            await pieces.recv()
        assert program.megabytes() - before < 32
        assert (await other.do("sessions"))["sessions"] == []


async def test_neither_half_a_request_nor_a_silent_socket_takes_a_place(tmp_path: Path) -> None:
    async with Program(tmp_path) as program:
        address = split(program.address)[0]
        port = int(address.rpartition(":")[2])
        halves = [socket.create_connection(("127.0.0.1", port)) for _ in range(260)]
        for half in halves:
            half.send(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n".encode())
        silent = [await plain(program.address) for _ in range(40)]
        async with httpx2.AsyncClient(trust_env=False) as client:
            assert (await client.get(f"{address}/")).status_code == 200
        async with entered(program.address) as page:
            assert (await page.do("sessions"))["sessions"] == []
        halves[0].settimeout(PATIENCE_S)
        with suppress(ConnectionResetError):
            assert halves[0].recv(10) == b"", "the oldest made room"
        for half in halves:
            half.close()
        for one in silent:
            one.transport.abort()


async def test_a_slow_reader_is_dropped_with_a_word_and_comes_back(project: Path) -> None:
    async with served([[60.0]], project) as there, entered(there.address) as quick:
        session = (await quick.do("open", session=None))["session"]
        narrow = socket.socket()
        narrow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 17)
        narrow.connect(("127.0.0.1", int(split(there.address)[0].rpartition(":")[2])))
        slow = await plain(there.address, max_queue=1, sock=narrow)
        await slow.send(json.dumps({"id": 1, "do": "hello", "token": split(there.address)[1]}))
        await slow.recv()
        there.desk.pages[max(there.desk.pages)].outbox.most = 300_000
        await slow.send(json.dumps({"id": 2, "do": "open", "session": session}))
        while (answer := json.loads(await slow.recv())).get("re") != 2:
            pass  # the list of sessions
        opened = answer["ok"]
        before = len(quick.came)
        await quick.do("say", session=session, text="think")
        for _ in range(12):  # each state has all prompts that wait: 15 MB in all
            await quick.do("say", session=session, text="x" * 200_000)
        await quick.until(lambda message: message.get("state", {}).get("pages") == 1, before)
        last, n = "", opened["n"]
        with pytest.raises(ConnectionClosed) as closed:
            while True:
                last = str(await slow.recv())
                n = json.loads(last).get("n", n)
        bye = json.loads(last)["bye"]
        assert bye["again"] and "too slowly" in bye["text"] and closed.value.rcvd and closed.value.rcvd.code == 4000
        unsaid = (await quick.do("cancel", session=session))["unsaid"]
        assert len(unsaid) in (11, 12)  # one may have come before the first request, and went in with it
        async with entered(there.address) as again:
            whole = await again.do("open", session=session, room=opened["room"], since=n)
            assert "missed" in whole or "cancelled" in whole["turns"][-1]["html"]
            latest = await again.do("open", session=session, room=opened["room"], since=whole["n"] - 1)
            assert [json.loads(text)["n"] for text in latest["missed"]] == [*range(whole["n"], latest["n"] + 1)]
