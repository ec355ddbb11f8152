"""Who is let in: the page itself under its one name, with the token; and what the page may do."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import httpx2
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from inarch.testing import says

from .talking import entered, plain, served, split


async def test_only_the_page_s_own_name_origin_and_methods_are_answered(project: Path) -> None:
    async with served([says("x")], project) as there, httpx2.AsyncClient(trust_env=False) as client:
        origin, token = split(there.address)
        page = await client.get(f"{origin}/")
        assert page.status_code == 200 and token not in page.text
        for name, value in (
            ("x-content-type-options", "nosniff"), ("referrer-policy", "no-referrer"), ("x-frame-options", "DENY"),
            ("cross-origin-resource-policy", "same-origin"), ("cross-origin-opener-policy", "same-origin"),
        ):  # fmt: skip
            assert page.headers[name] == value
        policy = dict(part.split(" ", 1) for part in page.headers["content-security-policy"].split("; "))
        assert policy["default-src"] == policy["frame-ancestors"] == policy["frame-src"] == "'none'"
        assert policy["script-src"] == policy["style-src"] == "'self'" and "set-cookie" not in page.headers
        port = origin.rpartition(":")[2]
        for host in (f"localhost:{port}", "evil.example", f"evil.example:{port}", "127.0.0.1", f"127.0.0.2:{port}", ""):
            for path in ("/", "/static/main.js", "/assets/design.css", "/socket", "/nothing"):
                assert (await client.get(f"{origin}{path}", headers={"Host": host})).status_code in (400, 403)
        for other in ("http://evil.example", f"http://localhost:{port}", "null", f"https://127.0.0.1:{port}"):
            assert (await client.get(f"{origin}/", headers={"Origin": other})).status_code == 403
        assert (await client.get(f"{origin}/", headers={"Origin": origin})).status_code == 200
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH"):
            assert (await client.request(method, f"{origin}/")).status_code == 403
        for path in ("/static/../server/gate.py", "/static/..%2fserver%2fgate.py", "/assets/..%2f__init__.py"):
            assert (await client.get(f"{origin}{path}")).status_code == 404


async def test_what_the_browser_is_started_with_lets_one_page_in_once(project: Path) -> None:
    async with served([says("x")], project) as there:
        origin, token = split(there.address)
        assert token not in there.once
        async with entered(there.once) as page:
            assert page.hello["token"] == token
        with pytest.raises((ConnectionClosed, AssertionError, TimeoutError)):
            async with asyncio.timeout(30), entered(there.once):
                pass
        async with entered(f"{origin}/#{token}"):
            pass


async def test_a_socket_of_another_origin_or_name_is_refused(project: Path) -> None:
    async with served([says("x")], project) as there:
        origin, _ = split(there.address)
        port = origin.rpartition(":")[2]
        for other in (None, "http://evil.example", f"http://localhost:{port}", "null", f"{origin}.evil.example"):
            with pytest.raises(InvalidStatus) as refused:
                await plain(there.address, origin=other)
            assert refused.value.response.status_code == 403
        with pytest.raises(InvalidStatus):  # another name for this machine, as in DNS rebinding
            await plain(there.address, additional_headers={"Host": f"rebound.example:{port}"})


@pytest.mark.parametrize(
    "first",
    [
        '{"id": 1, "do": "hello", "token": "wrong"}', '{"id": 1, "do": "hello"}', '{"id": 1, "do": "sessions"}',
        '{"id": 1, "do": "hello", "token": 5}', '{"id": 1, "do": "hello", "token": "\\ud800"}', "no JSON", "[]", "1",
        "[" * 100_000, b"\x00\x01",
    ],
)  # fmt: skip
async def test_a_connection_without_the_token_learns_nothing(first: str | bytes, project: Path) -> None:
    async with served([says("x")], project) as there:
        connection = await plain(there.address)
        await connection.send(first)
        with pytest.raises(ConnectionClosed) as closed:
            await connection.recv()
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 4001
        assert not there.desk.pages


async def test_what_is_no_request_is_answered_with_what_is_wrong(project: Path) -> None:
    async with served([says("x")], project) as there, entered(there.address) as page:
        session = (await page.do("open", session=None))["session"]
        for do, message in (
            ("nothing", {}), ("say", {}), ("say", {"session": 5, "text": "x"}),
            ("say", {"session": "none", "text": "x"}),
            ("say", {"session": session, "text": " "}), ("open", {"session": "none"}), ("open", {"session": []}),
            ("earlier", {"session": session, "before": -1}), ("steps", {"session": session, "turn": 99, "before": 5}),
            ("answer", {"session": session, "question": 1, "answers": []}),
            ("blame", {"session": session, "path": "no"}),
            ("set", {"session": session, "model": "none/none"}), ("undo", {"session": session, "target": "none"}),
            ("export", {"session": session, "form": "none"}), ("unqueue", {"session": session, "place": 3}),
            ("fork", {"session": session, "at": 3}), ("say", {"session": session, "text": "/quit"}),
            ("name", {"session": session, "name": ""}), ("sessions", {"from": "x"}),
            ("open", {"session": "\ud800"}), ("complete", {"session": "\ud800"}),
        ):  # fmt: skip
            error = (await page.ask(do, **message))["error"]
            assert error["text"] and "Traceback" not in error["text"], (do, message)
        await page.connection.send("no JSON")
        await page.connection.send(json.dumps({"do": {"x": 1}}))
        assert (await page.do("sessions"))["more"] is False  # it goes on
        await page.do("say", session=session, text="half a character: \ud800 \x00")
        await page.idle()


async def test_a_page_that_does_nothing_is_logged_out_and_one_that_waits_for_a_turn_is_not(project: Path) -> None:
    async with served([[60.0]], project, idle_minutes=0.005) as there:
        async with entered(there.address) as idle, entered(there.address) as waiting:
            session = (await waiting.do("open", session=None))["session"]
            await waiting.do("say", session=session, text="think")
            await asyncio.sleep(0.5)
            there.desk.tick()
            bye = await idle.until(lambda message: "bye" in message)
            assert bye["bye"]["again"] is False and "logged out" in bye["bye"]["text"]
            assert (await waiting.do("sessions"))["sessions"][0]["running"]
            await waiting.do("cancel", session=session)
