"""`inarch replay` and `inarch sessions diff` as programs, on sessions that a real server answered."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from inarch import compose
from inarch.testing import HttpServer, json_reply, sse_reply

from ..forking import run_inarch
from .recording import project

pytestmark = pytest.mark.once

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def chunk(delta: Any, finish: str | None = None, **more: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "gen-1", "object": "chat.completion.chunk", "model": "acme", "choices": [choice], **more}


def answer(text: str) -> list[Any]:
    usage = {"prompt_tokens": 20, "completion_tokens": 5}
    return [chunk({"role": "assistant", "content": text}), chunk({}, "stop", usage=usage)]


def call(*wanted: tuple[str, dict[str, Any]]) -> list[Any]:
    deltas = [
        {"index": place, "id": f"call_{place}", "type": "function",
         "function": {"name": name, "arguments": json.dumps(arguments)}}
        for place, (name, arguments) in enumerate(wanted)
    ]  # fmt: skip
    return [chunk({"role": "assistant", "content": None, "tool_calls": deltas}), chunk({}, "tool_calls")]


READ = ("read_file", {"file_path": "shop/basket.py"})


def patch(old: str, new: str) -> tuple[str, dict[str, Any]]:
    return ("patch_source_file", {"file_path": "shop/basket.py", "search": old, "replace": new})


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return project(tmp_path / "proj")


@pytest.fixture
def serve(own_home: Path) -> Iterator[Callable[..., HttpServer]]:
    """Start a server that plays replies and is the configured one; it is stopped at the end, or before."""
    servers: list[HttpServer] = []

    def start(*replies: Any) -> HttpServer:
        server = HttpServer([sse_reply(reply) if isinstance(reply, list) else reply for reply in replies])
        server.__enter__()
        servers.append(server)
        config = own_home / "config" / "inarch"
        config.mkdir(parents=True, exist_ok=True)
        (config / "config.toml").write_text(
            f'[plugins.openai-compatible]\nbase_url = "{server.url}/v1"\n'
            '[profiles.default]\nmodel = "openai-compatible/acme"\napprove = "all"\n'
        )
        return server

    yield start
    for server in servers:
        server.__exit__(None, None, None)


@pytest.fixture
def inarch(root: Path) -> Run:
    def run(*words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        done = run_inarch(*words, cwd=root, environ={**os.environ, "LANG": "C.UTF-8"})
        assert done.returncode == code, done.stdout + done.stderr
        return done

    return run


def session_of(root: Path, place: int = 0) -> str:
    with compose(root=root) as app:
        return app.store.sessions()[place].id


def test_a_session_over_http_replays_in_another_process_without_its_server(
    root: Path, serve: Callable[..., HttpServer], inarch: Run
) -> None:
    overloaded = json_reply({"error": {"message": "overloaded"}}, 503, retry_after="0")
    server = serve(call(READ), overloaded, call(patch("* 15", "* 150")), answer("Fixed."), answer("It is 150."))
    inarch("fix the weight")
    inarch("ask", "--continue", "what is it now?")
    server.__exit__(None, None, None)
    asked = len(server.requests)
    session = session_of(root)

    first = inarch("replay", session[:13])
    second = json.loads(inarch("replay", session, "--json").stdout)

    assert first.stdout.splitlines()[0].startswith("same: 2 turns, ")
    assert f"digest {second['digest']}" in first.stdout.splitlines()
    assert f"tree   {second['tree']}" in first.stdout.splitlines()
    assert second["same"]
    assert second["replayed_digest"] == second["digest"]
    assert len(server.requests) == asked
    assert "* 150" in (root / "shop" / "basket.py").read_text()


def test_a_fork_goes_live_and_diff_names_where_it_parts(
    root: Path, serve: Callable[..., HttpServer], inarch: Run, tmp_path: Path
) -> None:
    serve(
        call(READ), call(patch("* 15", "* 150")), answer("Fixed."),
        call(patch("* 150", "* 7")), answer("Seven."), answer("That was it."),
    )  # fmt: skip
    inarch("fix the weight")
    inarch("ask", "--continue", "make it seven")
    inarch("ask", "--continue", "was that all?")
    origin = session_of(root)
    serve(call(patch("* 150", "* 8")), answer("Eight."), answer("Yes."))
    copy = tmp_path / "other"

    done = inarch("replay", origin, "--fork-at", "2", "--model", "openai-compatible/other", "--keep", str(copy))

    assert f"goes on in {copy}" in done.stdout
    assert "Eight." in done.stdout
    assert "Yes." in done.stdout
    assert "* 8" in (copy / "shop" / "basket.py").read_text()
    assert "* 7" in (root / "shop" / "basket.py").read_text()
    fork = next(
        info["id"] for info in json.loads(inarch("sessions", "list", "--all", "--json").stdout) if info["id"] != origin
    )
    kept = json.loads(inarch("sessions", "show", fork, "--json").stdout)
    assert [turn["content"] for turn in kept["turns"] if turn["type"] == "agent"] == ["Fixed.", "Eight.", "Yes."]

    said = inarch("sessions", "diff", origin, fork, code=1).stdout
    found = json.loads(inarch("sessions", "diff", origin, fork, "--json", code=1).stdout)

    assert said.splitlines()[0].startswith("the same before: 1 turn, ")
    assert "in turn 2 (turn.started, model)" in said
    first = found["divergence"]["first"]
    assert (first["turn"], first["recorded"], first["came"]) == (2, "openai-compatible/acme", "openai-compatible/other")
    assert inarch("sessions", "diff", origin, origin).stdout == "the same\n"
    # what goes on in the copy is a session like any other, and replays
    assert json.loads(inarch("replay", fork, "--json").stdout)["same"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("replay", "nothing"), "there is no session 'nothing'"),
        (("replay", "x", "--model", "a/b"), "a replay asks no model"),
        (("replay", "x", "--fork-at", "2", "--json"), "--json can't be used with --fork-at"),
        (("sessions", "diff", "x", "y"), "there is no session 'x'"),
    ],
)
def test_wrong_words_are_reported(inarch: Run, words: Sequence[str], said: str) -> None:
    assert said in inarch(*words, code=2).stderr
