"""`inarch models check`: each thing that a model has to be able to do, what it cost, and what helps where it fails."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from inarch.testing import HttpReply, HttpRequest, HttpServer, json_reply, sse_reply
from inarch_plugins.commands.models.check import OUTPUT

from ...running.program import Run

pytestmark = pytest.mark.once

KEY = "sk-or-v1-0f1e2d3c4b5a69788796a5b4c3d2e1f0"
Serve = Callable[..., HttpServer]


def chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **more}


def says(text: str, finish: str = "stop", cost: float | None = None) -> HttpReply:
    money = {} if cost is None else {"cost": cost}
    usage = {"prompt_tokens": 1_000, "completion_tokens": 100, **money}
    return sse_reply([chunk({"content": text}), chunk({}, finish), {"choices": [], "usage": usage}])


def calls(name: str, arguments: str) -> HttpReply:
    call = {"index": 0, "id": "c0", "type": "function", "function": {"name": name, "arguments": arguments}}
    return sse_reply([chunk({"tool_calls": [call]}), chunk({}, "tool_calls")])


OK, CALL, JSON = says("OK"), calls("report_number", '{"number": 7}'), says('{"answer": "yes"}')
ALL_WORK = (OK, CALL, JSON)


@pytest.fixture
def serve(environ: dict[str, str]) -> Iterator[Serve]:
    """Return a function that starts a server which gives these replies, and configures it for a provider."""
    servers: list[HttpServer] = []

    def start(*replies: Any, provider: str = "openai-compatible", rest: str = "", profile: str = "") -> HttpServer:
        routes = {"GET /models": json_reply({"data": [{"id": "m", "max_model_len": 4096}]})}
        server = HttpServer(replies, routes).__enter__()
        servers.append(server)
        config = Path(environ["XDG_CONFIG_HOME"]) / "inarch" / "config.toml"
        config.parent.mkdir(parents=True)
        config.write_text(
            f'[plugins.{provider}]\nbase_url = "{server.url}"\n{rest}\n[profiles.default]\n{profile}\n', "utf-8"
        )
        return server

    yield start
    for server in servers:
        server.__exit__(None, None, None)


def report(cli: Run, *words: str, code: int, **more: Any) -> dict[str, Any]:
    done = cli("models", "check", "--json", *words, **more)
    assert done.returncode == code, done.stderr + done.stdout
    data: dict[str, Any] = json.loads(done.stdout)
    return data


def states(model: dict[str, Any]) -> list[tuple[str, str]]:
    return [(check["name"], check["state"]) for check in model["checks"]]


def posted(server: HttpServer) -> Sequence[HttpRequest]:
    return [request for request in server.requests if request.method == "POST"]


def test_everything_works_in_three_tiny_requests(cli: Run, serve: Serve) -> None:
    server = serve(*ALL_WORK, rest="input_price = 1\noutput_price = 2")
    found = report(cli, "--model", "openai-compatible", code=0)
    (model,) = found["models"]
    assert (model["model"], model["role"], model["context_tokens"]) == ("openai-compatible/m", "model", 4096)
    assert states(model) == [("text", "works"), ("tool call", "works"), ("structured reply", "works")]
    assert model["price"] == {"input": "1", "output": "2", "cached": None}
    assert model["price_source"] == "openai-compatible"
    assert model["checks"][0]["usage"]["cost_usd"] == "0.0012"
    assert model["checks"][1]["usage"] is None  # this reply said nothing of its usage
    text, call, structure = (request.json for request in posted(server))
    assert all(body["max_tokens"] == OUTPUT for body in (text, call, structure))
    assert [("tools" in body, "response_format" in body) for body in (text, call, structure)] == [
        (False, False), (True, False), (False, True),
    ]  # fmt: skip
    assert found["auto"] == {
        "model": "openai-compatible/m",
        "why": "your server at its base_url takes connections",
    }


def test_a_person_reads_a_line_a_check_with_cost_and_time(cli: Run, serve: Serve) -> None:
    serve(OK, says("I would rather not."), JSON)
    done = cli("models", "check", "--model", "openai-compatible")
    assert done.returncode == 1
    head, text, call, remedy, structure, auto = done.stdout.splitlines()
    assert head == "openai-compatible/m (model): 4,096 tokens of context, price unknown"
    assert text.startswith("ok    text              it said 'OK'; 1,000 in, 100 out · cost unknown; ")
    assert call.startswith("BAD   tool call         it answered with text instead of a call; ")
    assert "--jinja" in remedy and remedy.startswith("      ")
    assert structure.startswith("ok    structured reply") and auto.startswith("auto means openai-compatible/m: ")


@pytest.mark.parametrize(
    ("replies", "which", "said"),
    [
        ((OK, calls("rm", "{}"), JSON), 1, "it called 'rm'"),
        ((OK, calls("report_number", '{"number": "many"}'), JSON), 1, "do not match the tool"),
        ((OK, CALL, says("Yes, it is.")), 2, "not a JSON object"),
        ((OK, CALL, says('{"answer": "maybe"}')), 2, "does not match the schema"),
        ((OK, CALL, says("[1]")), 2, "not a JSON object"),
        ((OK, CALL, json_reply({"error": {"message": "no response_format here"}}, 400)), 2, "no response_format"),
    ],
)
def test_what_fails_is_told_with_a_remedy(cli: Run, serve: Serve, replies: Any, which: int, said: str) -> None:
    serve(*replies)
    (model,) = report(cli, "--model", "openai-compatible", code=1)["models"]
    assert [check["state"] for check in model["checks"]].count("fails") == 1
    check = model["checks"][which]
    assert check["state"] == "fails" and said in check["said"] and check["remedy"]


def test_a_refused_key_is_reported_once_and_shown_nowhere(cli: Run, serve: Serve) -> None:
    server = serve(json_reply({"error": {"message": f"bad key {KEY}"}}, 401), provider="openrouter")
    done = cli("models", "check", "openrouter/m", OPENROUTER_API_KEY=KEY)
    assert done.returncode == 1
    assert "BAD   text" in done.stdout and "check the key" in done.stdout
    assert done.stdout.count("not tried") == 2 and len(posted(server)) == 1
    assert KEY not in done.stdout + done.stderr and "0f1e2d3c" not in done.stdout + done.stderr


def test_the_decision_model_is_checked_for_what_it_is_asked(cli: Run, serve: Serve) -> None:
    server = serve(*ALL_WORK, OK, JSON, rest='model = "large"\ndecision_model = "small"')
    first, second = report(cli, "--model", "openai-compatible", code=0)["models"]
    assert (first["model"], first["role"]) == ("openai-compatible/large", "model")
    assert (second["model"], second["role"]) == ("openai-compatible/small", "decision model")
    assert states(second) == [("text", "works"), ("structured reply", "works")]
    assert [request.json["model"] for request in posted(server)] == ["large"] * 3 + ["small"] * 2


@pytest.mark.parametrize("name", ["nobody/m", "gemini x", "/m"])
def test_what_is_no_model_is_a_wrong_word(cli: Run, name: str) -> None:
    done = cli("models", "check", "--quiet", name)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert name in line


def test_list_shows_context_and_price(cli: Run, serve: Serve) -> None:
    serve(rest="input_price = 0.25\noutput_price = 2")
    done = cli("models", "list", "--model", "openai-compatible")
    assert "openai-compatible/m  (default)  4,096 tokens  $0.25 in, $2 out a million tokens" in done.stdout
    rows = json.loads(cli("models", "list", "--model", "openai-compatible", "--json").stdout)
    row = next(row for row in rows if row["model"] == "openai-compatible/m")
    assert row["price"] == {"input": "0.25", "output": "2", "cached": None}
    offline = next(row for row in rows if row["model"].startswith("offline/"))
    assert offline["price"]["input"] == "0"
