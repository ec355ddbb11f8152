"""`HttpService` over real HTTP: events, limits, connections, loops, and what must not be seen."""

from __future__ import annotations

import asyncio
import gc
import json
from collections.abc import Sequence
from contextlib import aclosing
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch import HttpService, ProviderError, StoreError, bearer_of
from inarch.testing import HttpReply, HttpServer, json_reply, sse_reply
from inarch_sdk.sse import Lines
from inarch_testing.http_server import Answer, HttpRequest

SECRET = "sk-0123456789abcdef"


async def values(service: HttpService) -> list[Any]:
    async with aclosing(service.stream("/chat", b"{}")) as stream:
        return [value async for value in stream]


def streamed(replies: Sequence[Answer], times: int = 1) -> tuple[list[Any], HttpServer]:
    async def go(url: str) -> list[Any]:
        service = HttpService("svc", url, {"Authorization": f"Bearer {SECRET}"})
        found = [await values(service) for _ in range(times)]
        await service.close()
        await service.close()
        return found[-1]

    with HttpServer(replies) as server:
        return asyncio.run(go(server.url)), server


def test_events_come_as_values_and_headers_go_along() -> None:
    found, server = streamed([sse_reply([{"a": 1}, b": comment\n\n", b"event: x\nid: 7\n", {"b": 2}])])
    assert found == [{"a": 1}, {"b": 2}]
    (request,) = server.requests
    assert (request.method, request.path, request.body) == ("POST", "/chat", b"{}")
    assert request.headers["authorization"] == f"Bearer {SECRET}"
    assert request.headers["content-type"] == "application/json"


def test_a_connection_is_used_again_also_after_the_word_done() -> None:
    _, server = streamed([sse_reply([{"a": 1}, 0.01])], times=5)
    assert (len(server.requests), server.connections) == (5, 1)


def test_what_arrived_together_comes_together_and_before_what_is_wrong() -> None:
    async def go(url: str, found: list[Any]) -> None:
        service = HttpService("svc", url)
        try:
            async with aclosing(service.batches("/", b"{}")) as batches:
                async for batch in batches:
                    found += batch
        finally:
            await service.close()

    whole = b"".join(b"data: %d\n\n" % number for number in range(500))
    for rest, message in ((b"data: [DONE]\n\ndata: 7\n\n", ""), (b"data: 1,2\n\n", "not answer with JSON: '1,2'")):
        found: list[Any] = []
        with HttpServer([HttpReply([whole + rest], headers={"content-type": "text/event-stream"})]) as server:
            if message:
                with pytest.raises(ProviderError, match=message):
                    asyncio.run(go(server.url, found))
            else:
                asyncio.run(go(server.url, found))
        assert found == list(range(500))


def test_values_come_while_the_stream_goes_on() -> None:
    async def go(url: str) -> Any:
        service = HttpService("svc", url)
        async with aclosing(service.stream("/", b"{}")) as stream:
            first = await anext(stream)
        await service.close()
        return first

    with HttpServer([sse_reply([{"a": 1}], done=False, ending="silent")]) as server:
        assert asyncio.run(go(server.url)) == {"a": 1}


@pytest.mark.filterwarnings("error")
def test_every_loop_has_its_own_connections_and_leaves_none_open() -> None:
    with HttpServer([json_reply({"a": 1})]) as server:
        service = HttpService("svc", server.url)
        for _ in range(3):
            assert asyncio.run(service.get("/x")) == {"a": 1}
        asyncio.run(service.close())
        assert server.connections == 3
    del service
    gc.collect()


@pytest.mark.parametrize(
    ("base_url", "kind", "said"),
    [
        ("ftp://x", "request", "is not an http:// or https:// address"),
        ("nonsense", "request", "not an http"),
        ("http://[::1", "request", "not an http"),
        ("http://127.0.0.1:99999/v1", "request", "not an http"),
        ("http://127.0.0.1:port/v1", "request", "not an http"),
        ("http://user:password99@127.0.0.1:1", "network", "can't be reached at http://127.0.0.1:1"),
    ],
)
def test_an_address_that_is_wrong_is_said_without_its_password(base_url: str, kind: str, said: str) -> None:
    with pytest.raises(ProviderError, match=said) as caught:
        asyncio.run(HttpService("svc", base_url).get("/"))
    assert caught.value.kind == kind
    assert "password99" not in str(caught.value)


def test_an_address_without_tls_is_said_and_not_asked_again() -> None:
    with HttpServer([json_reply(1)]) as server, pytest.raises(ProviderError, match="no TLS connection") as caught:
        asyncio.run(HttpService("svc", server.url.replace("http:", "https:")).get("/"))
    assert (caught.value.kind, caught.value.retryable) == ("network", False)
    assert "http://" in caught.value.remedy


def test_a_secret_is_in_no_error_and_no_repr() -> None:
    service = HttpService("svc", "http://user:password99@x", {"x-api-key": SECRET, "X-Title": "Inarch"})
    assert SECRET not in repr(service)
    assert service.hide(f"{SECRET} password99 Inarch") == "‹key› ‹key› Inarch"
    assert service.address == "http://x"
    error = service.error({"error": {"code": 401, "message": f"bad {SECRET}"}})
    assert (error.kind, error.message) == ("auth", "svc answered 401: bad ‹key›")


def test_a_proxy_of_the_environment_gets_nothing_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    with HttpServer([json_reply("direct")]) as server, HttpServer([json_reply("proxy")]) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("http_proxy", proxy.url)
        monkeypatch.delenv("NO_PROXY", raising=False)
        assert asyncio.run(HttpService("svc", server.url).get("/")) == "direct"
        assert asyncio.run(HttpService("svc", "http://models.example").get("/")) == "proxy"


def test_a_form_is_sent_as_one_and_may_be_answered_with_nothing() -> None:
    async def go(url: str) -> list[Any]:
        service = HttpService("svc", url)
        return [await service.form("/token", {"a": "1 & 2"}), await service.form("/revoke", {})]

    with HttpServer([json_reply({"b": 2}), HttpReply()]) as server:
        assert asyncio.run(go(server.url)) == [{"b": 2}, None]
    assert (server.requests[0].body, server.requests[0].headers["content-type"]) == (
        b"a=1+%26+2", "application/x-www-form-urlencoded",
    )  # fmt: skip


def test_what_authorizes_is_asked_before_each_request_and_never_shown() -> None:
    tokens = iter(["first-token", "second-token", "third\ntoken"])

    class Environ(dict[str, str]):
        def renewed(self, name: str) -> str:
            assert name == "TOKEN"
            token = next(tokens, "")
            if not token:
                raise StoreError("missing", "the sign-in is over", "sign in")
            return token

    async def go(url: str) -> list[str]:
        service = HttpService("svc", url, authorize=bearer_of(Environ(), "TOKEN"))
        assert await service.get("/") == 1
        said = []
        for _ in range(3):
            with pytest.raises(ProviderError) as caught:
                await service.get("/")
            said.append(str(caught.value))
            assert caught.value.kind == "auth"
        return said

    def refuse(request: HttpRequest) -> HttpReply:
        return json_reply({"error": {"message": f"wrong: {request.headers['authorization']}"}}, 401)

    with HttpServer([json_reply(1), refuse]) as server:
        refused, of_two_lines, over = asyncio.run(go(server.url))
    assert [request.headers["authorization"] for request in server.requests] == [
        "Bearer first-token", "Bearer second-token",
    ]  # fmt: skip
    assert (
        "wrong: Bearer ‹key›" in refused and "cannot hold" in of_two_lines and over == "the sign-in is over (sign in)"
    )


def test_a_netrc_is_not_read(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login me password hunter22\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    with HttpServer([json_reply(1)]) as server:
        asyncio.run(HttpService("svc", server.url).get("/"))
        assert "authorization" not in server.requests[0].headers


def test_a_redirect_is_not_followed() -> None:
    with HttpServer([json_reply(1)]) as other, HttpServer([HttpReply([], 307, {"location": other.url})]) as server:
        with pytest.raises(ProviderError, match="redirects are not followed"):
            asyncio.run(HttpService("svc", server.url).get("/"))
        assert other.requests == []


LETTERS = st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=12)


@given(st.lists(LETTERS, max_size=6), st.sampled_from([b"\n", b"\r\n"]), st.integers(1, 9), st.booleans())
def test_lines_may_be_read_in_any_pieces(texts: list[str], end: bytes, size: int, ended: bool) -> None:
    stream = b"".join(b"data: " + json.dumps(text).encode() + end + b": c" + end + end for text in texts)
    stream = stream if ended else stream[: -2 * len(end)] + end * bool(texts)
    lines = stream.split(b"\n")
    reader = Lines()
    found: list[bytes] = []
    for start in range(0, len(lines), size):
        found += reader.read(lines[start : start + size])
    found += reader.end()
    assert [json.loads(data) for data in found] == texts
