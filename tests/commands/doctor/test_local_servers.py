"""`inarch doctor` looks for model servers on this machine, and says what to write to use one."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from inarch.program.composer import Options
from inarch.testing import HttpReply, HttpServer, json_reply
from inarch_plugins.commands.doctor.checkup import Finding, check_up, local_servers

LIST = json_reply({"object": "list", "data": [{"id": "nomic-embed-text"}, {"id": "qwen3:8b"}, {"id": 'odd"name'}]})


def port_of(server: HttpServer) -> int:
    return int(server.url.rpartition(":")[2])


@pytest.fixture
def server() -> Iterator[HttpServer]:
    with HttpServer(routes={"GET /v1/models": LIST}) as server:
        yield server


def found(server: HttpServer, root: Path, flags: dict[str, str] | None = None) -> list[Finding]:
    options = Options(root=str(root), flags=flags or {})
    ports = [(port_of(server), "Acme")]
    return [one for one in check_up(options, ports) if one.topic == "local server"]


def test_a_server_is_found_and_the_lines_make_it_the_one_that_auto_takes(server: HttpServer, tmp_path: Path) -> None:
    (one,) = found(server, tmp_path)
    assert one.state == "note" and "nomic-embed-text, qwen3:8b" in one.text and "the port of Acme" in one.text
    settings = tomllib.loads("\n".join(one.lines))
    assert settings == {
        "plugins": {"openai-compatible": {"base_url": f"http://127.0.0.1:{port_of(server)}/v1", "model": "qwen3:8b"}}
    }
    (request,) = server.requests
    assert (request.method, request.path, request.body) == ("GET", "/v1/models", b"")
    assert "authorization" not in request.headers


@pytest.mark.parametrize("key", ["GEMINI_API_KEY", ""])
def test_where_auto_would_take_another_the_lines_name_the_model(
    server: HttpServer, tmp_path: Path, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    flags = {} if key else {"model": "offline"}
    if key:
        monkeypatch.setenv(key, "AIzaSyTHISISNOKEY0123456789abcdefghijkl")
    (one,) = found(server, tmp_path, flags)
    assert tomllib.loads("\n".join(one.lines))["profiles"] == {"default": {"model": "openai-compatible"}}


@pytest.mark.parametrize(
    "reply",
    [
        json_reply([1]),
        json_reply({"data": "x"}),
        json_reply({"error": {"message": "no"}}, 401),
        HttpReply([b"<html>"]),
        HttpReply(ending="nothing"),
        HttpReply([b'{"data": ['], ending="silent"),
        HttpReply([b"[" * 200_000]),
        HttpReply([b" " * (1 << 21)]),
        HttpReply([b"moved"], 302, {"location": "http://models.example/v1/models"}),
    ],
)
def test_what_is_no_model_server_is_passed_over(reply: HttpReply) -> None:
    with HttpServer(routes={"GET /v1/models": reply}) as server:
        assert list(local_servers([(port_of(server), "Acme")])) == []
