"""How models are asked, over real HTTP: deadlines, second attempts, and models that take over."""

import asyncio
import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from attrs import field, frozen

import inarch
from inarch import new_id, utc_now
from inarch.testing import HttpReply, HttpServer, json_reply, sse_reply

HOME = {"HOME": "home", "OPENROUTER_API_KEY": "sk-or-v1-0f1e2d3c4b5a", "GEMINI_API_KEY": "AIzaSyTHISISNOKEY012345"}


def chunk(delta: Mapping[str, Any], finish: str | None = None, **more: Any) -> dict[str, Any]:
    return {"id": "g", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **more}


def chat(text: str, usage: tuple[int, int] = (100, 10)) -> HttpReply:
    told = {"usage": {"prompt_tokens": usage[0], "completion_tokens": usage[1]}}
    return sse_reply([chunk({"content": text}), chunk({}, "stop", **told)])


class _At(NamedTuple):
    """Where a server was."""

    url: str


@frozen
class Played:
    turns: Sequence[inarch.Turn]
    events: Sequence[inarch.Event]

    def of(self, kind: str) -> list[Mapping[str, Any]]:
        return [event.data for event in self.events if event.kind == kind]


@frozen
class Noting:
    """A clock by which waits take no time, and are noted."""

    waits: list[float]
    began: float = field(factory=time.monotonic)

    new_id = staticmethod(new_id)
    utc_now = staticmethod(utc_now)

    def monotonic(self) -> float:
        return self.began + sum(self.waits)

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)


def play(
    root: Path,
    model: str,
    servers: Mapping[str, HttpServer | _At],
    prompts: Sequence[str] = ("go",),
    deadlines: tuple[float, float] | None = None,
    waits: list[float] | None = None,
    **profile: Any,
) -> Played:
    """Run turns with providers at these servers."""
    work = root / "work"
    work.mkdir(exist_ok=True)
    (work / "a.txt").write_text("alpha\n")
    path = {"gemini": "/v1beta"}
    config = {"plugins": {name: {"base_url": server.url + path.get(name, "/v1")} for name, server in servers.items()}}
    environ = {**HOME, "HOME": str(root / "home")}

    async def go() -> Played:
        flags = {"model": model, **profile}
        replacing = inarch.Replacements(clock=Noting(waits) if waits is not None else None)
        app = inarch.compose(root=work, config=config, flags=flags, environ=environ, journal=False, replacing=replacing)
        session = app.session()
        if deadlines is not None:
            app.parts.pacer.longest_silence_s, app.parts.pacer.longest_reply_s = deadlines
        events = [event for prompt in prompts for event in [e async for e in session.stream(prompt)]]
        await app.aclose()
        return Played(session.turns, events)

    return asyncio.run(go())


def test_a_reply_that_drips_for_ever_is_ended_by_the_total_deadline(tmp_path: Path) -> None:
    drops: list[Any] = [piece for _ in range(400) for piece in (chunk({"content": "drip "}), 0.05)]
    with HttpServer([sse_reply(drops)]) as server:
        played = play(tmp_path, "openai-compatible/x", {"openai-compatible": server}, deadlines=(60, 3))
        assert len(server.requests) <= 1  # the next one would take as long; a busy machine may not get to the first
    assert played.turns[0].status == "failed"
    assert "did not end its reply within 3 s" in str(played.turns[0].error)
    (reply,) = played.of("model.replied")
    assert (reply["error"], reply["finish"], reply["usage"]["cost_usd"]) == ("timeout", "error", None)


def test_a_stream_that_falls_silent_is_asked_again(tmp_path: Path) -> None:
    silent = sse_reply([chunk({"content": "I was just"})], done=False, ending="silent")
    with HttpServer([silent, chat("whole")]) as server:
        played = play(tmp_path, "openai-compatible/x", {"openai-compatible": server}, deadlines=(2, 120))
    assert (played.turns[0].status, played.turns[0].content) == ("done", "whole")
    assert "said nothing for 2 s; asking again" in played.of("note")[0]["text"]


def test_a_cut_reply_is_asked_again_and_the_record_has_what_came_of_the_first(tmp_path: Path) -> None:
    cut = sse_reply([chunk({"content": "half an ans"})], done=False, ending="cut")
    with HttpServer([cut, chat("whole")]) as server:
        played = play(tmp_path, "openai-compatible/x", {"openai-compatible": server})
    assert played.turns[0].content == "whole"
    first, second = played.of("model.replied")
    assert (first["finish"], first["message"]["parts"][0]["text"]) == ("error", "half an ans")
    assert second["message"]["parts"][0]["text"] == "whole"
    assert [request["attempt"] for request in played.of("model.requested")] == [1, 2]


def test_another_service_takes_over_where_the_quota_is_used_up(tmp_path: Path) -> None:
    used_up = json_reply({"error": {"message": "insufficient_quota", "code": "insufficient_quota"}}, 429)
    with HttpServer([used_up]) as first, HttpServer([chat("from the second")]) as second:
        servers = {"openrouter": first, "openai-compatible": second}
        played = play(tmp_path, "openrouter/acme/large", servers, fallback=["openai-compatible/small"])
        assert len(first.requests) == 1
    (turn,) = played.turns
    assert (turn.status, turn.content, turn.model) == ("done", "from the second", "openai-compatible/small")
    (switch,) = played.of("model.switched")
    assert (switch["old"], switch["new"]) == ("openrouter/acme/large", "openai-compatible/small")
    refused = played.of("model.replied")[0]
    assert (refused["error"], refused["usage"]["cost_usd"]) == ("quota", "0")  # never billed
    by_model = {row["model"]: (row["requests"], row["failed"]) for row in played.of("turn.ended")[0]["spent"]}
    assert by_model == {"openrouter/acme/large": (1, 1), "openai-compatible/small": (1, 0)}


def test_what_one_provider_keeps_for_itself_goes_to_no_other(tmp_path: Path) -> None:
    """After a switch in the midst of a turn the second service sees calls and results, no signature of the first."""
    call = {"functionCall": {"name": "read_file", "args": {"file_path": "a.txt"}}, "thoughtSignature": "c2VjcmV0"}
    candidate = {"candidates": [{"content": {"parts": [call], "role": "model"}, "finishReason": "STOP", "index": 0}]}
    used_up = json_reply({"error": {"code": 429, "message": "You exceeded your current quota, per day"}}, 429)
    with HttpServer([sse_reply([candidate], done=False), used_up]) as first, HttpServer([chat("alpha")]) as second:
        servers = {"gemini": first, "openai-compatible": second}
        played = play(tmp_path, "gemini", servers, ["read it", "again"], fallback=["openai-compatible/x"])
        assert [turn.status for turn in played.turns] == ["done", "done"]
        bodies = [request.json for request in second.requests]
    assert "c2VjcmV0" not in json.dumps(bodies)
    assert [message["role"] for message in bodies[0]["messages"]][-2:] == ["assistant", "tool"]
    assert [switch["new"] for switch in played.of("model.switched")] == ["openai-compatible/x"] * 2  # told every turn


def test_the_output_limit_is_lowered_to_what_is_left(tmp_path: Path) -> None:
    with HttpServer([chat("short")]) as server:
        played = play(tmp_path, "openai-compatible/x", {"openai-compatible": server}, max_tokens=20_000)
        assert 0 < server.requests[0].json["max_tokens"] < 20_000
    assert played.turns[0].status == "done"


def test_a_request_that_could_pass_the_tokens_is_not_sent(tmp_path: Path) -> None:
    with HttpServer([chat("never")]) as server:
        played = play(tmp_path, "openai-compatible/x", {"openai-compatible": server}, max_tokens=300)
        assert server.requests == []
    assert (played.turns[0].status, played.turns[0].limit) == ("limited", "max_tokens")


def test_what_a_cancelled_request_may_have_cost_is_in_the_ledger(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    silent = sse_reply([chunk({"content": "I was just"})], done=False, ending="silent")

    async def go(server: HttpServer) -> Any:
        app = inarch.compose(
            root=tmp_path / "work",
            config={"plugins": {"openai-compatible": {"base_url": f"{server.url}/v1"}}},
            flags={"model": "openai-compatible/x"},
            environ={**HOME, "HOME": str(tmp_path / "home")},
            journal=False,
        )
        session = app.session()
        stream = session.stream("go")
        async for event in stream:
            if event.kind == "model.delta":
                break
        await stream.aclose()  # type: ignore[attr-defined]
        (row,) = session.state.ledger.rows()
        reply = next(event for event in app.store.load(session.id) if event.kind == "model.replied")
        await app.aclose()
        return row, reply.data

    with HttpServer([silent]) as server:
        row, reply = asyncio.run(go(server))
    assert (row.requests, row.failed, row.unknown, reply["error"]) == (1, 0, 1, "cancelled")
    assert row.input_tokens > 0


def test_a_refused_key_of_the_profiles_own_model_is_told_at_once_with_its_variable(tmp_path: Path) -> None:
    refused = json_reply({"error": {"message": "no such key", "code": 401}}, 401)
    with HttpServer([refused]) as first, HttpServer([chat("never")]) as second:
        servers = {"openrouter": first, "openai-compatible": second}
        played = play(tmp_path, "openrouter/acme/large", servers, fallback=["openai-compatible/x"])
        assert (len(first.requests), len(second.requests)) == (1, 0)
    error = str(played.turns[0].error)
    assert error == "openrouter answered 401: no such key (check the key in OPENROUTER_API_KEY)"


def call(arguments: str, finish: str = "tool_calls") -> HttpReply:
    function = {"name": "read_file", "arguments": arguments}
    return sse_reply([chunk({"tool_calls": [{"index": 0, "id": "c", "function": function}]}), chunk({}, finish)])


@pytest.mark.parametrize(
    ("first", "why"),
    [
        (call('{"file_path": "a.t', "length"), "its calls are cut at the limit of output"),
        (call('{"file_path": NaN}'), "are not JSON: NaN is not a JSON number"),
    ],
)
def test_the_model_is_told_why_it_is_asked_again(tmp_path: Path, first: HttpReply, why: str) -> None:
    with HttpServer([first, chat("whole")]) as server:
        played = play(tmp_path, "openai-compatible/x", {"openai-compatible": server})
        assert played.turns[0].content == "whole"
        before, after = (request.json["messages"] for request in server.requests)
    assert after[: len(before)] == before
    assert why in "".join(str(message["content"]) for message in after[len(before) :])


DRIP: list[Any] = [piece for _ in range(400) for piece in (chunk({"content": "drip "}), 0.05)]


def test_the_end_of_the_turns_time_ends_a_reply_at_once_and_what_has_come_is_the_answer(tmp_path: Path) -> None:
    for seconds in (3.0, 18.0):  # more if the machine stood still before anything came
        with HttpServer([sse_reply(DRIP)]) as server:
            played = play(tmp_path, "openai-compatible/x", {"openai-compatible": server}, max_seconds=seconds)
            requests = len(server.requests)
        if requests and played.turns[0].content.startswith("drip"):
            break
    assert requests == 1  # nothing is asked after the end
    (turn,) = played.turns
    assert (turn.status, turn.limit) == ("limited", "max_seconds")
    assert turn.content.startswith("drip drip")
    assert f"(stopped after max_seconds = {seconds:g} seconds;" in turn.content
    (reply,) = played.of("model.replied")
    assert turn.content.startswith(reply["message"]["parts"][0]["text"])


def test_a_reply_of_more_bytes_than_allowed_is_ended_there_and_what_has_come_is_the_answer(tmp_path: Path) -> None:
    with HttpServer([sse_reply([chunk({"content": "é" * 50})] * 100)]) as server:
        played = play(tmp_path, "openai-compatible/x", {"openai-compatible": server}, max_reply_bytes=1_000)
        assert len(server.requests) == 1
    (turn,) = played.turns
    assert (turn.status, turn.limit) == ("limited", "max_reply_bytes")
    text, _, told = turn.content.rpartition("\n\n")
    assert text and set(text) == {"é"} and len(text.encode()) <= 1_000
    assert "longer than max_reply_bytes = 1000" in told and "INARCH_MAX_REPLY_BYTES" in told


PLAIN = json_reply({"error": {"message": "slow down", "code": 429}}, 429)


def test_a_service_that_refuses_without_a_time_is_asked_again_for_a_minute(tmp_path: Path) -> None:
    """Such quotas are of a minute."""
    waits: list[float] = []
    with HttpServer([PLAIN] * 4 + [chat("at last")]) as server:
        played = play(tmp_path, "openai-compatible/x", {"openai-compatible": server}, waits=waits)
    assert (played.turns[0].status, played.turns[0].content) == ("done", "at last")
    told = [wait["seconds"] for wait in played.of("limit.wait") if wait["reason"] == "rate_limit"]
    assert told[2] >= 4 and told[3] >= 8  # more than next to nothing
    assert sum(wait["seconds"] for wait in played.of("limit.wait")) == pytest.approx(sum(waits), abs=0.1)
