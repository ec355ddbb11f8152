"""A model sums up what a long conversation has no room for: over the wire, through the command line."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from inarch.testing import HttpRequest, HttpServer, json_reply, sse_reply
from inarch_testing.http_server import HttpReply

CONFIG = """
[profiles.default]
plugins = [{plugins}]
model = "openai-compatible/acme/large"
{more}
[plugins.openai-compatible]
base_url = "{url}/v1"
context_tokens = 24000
{summary}
"""
LONG = "word " * 3300
"""About a fifth of what there is room for."""
SUMMED = "The person wants British English. Four things were told."
SETTINGS = '[plugins.summary]\nmodel = "openai-compatible/acme/small"\nat = 0.6\nkeep = 1\n'


def piece(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "g", "object": "chat.completion.chunk", "model": "m", "choices": [choice]}


def says(text: str) -> HttpReply:
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    return sse_reply([piece({"content": text}), {**piece({}, "stop"), "usage": usage}])


def calls(name: str, arguments: dict[str, Any]) -> HttpReply:
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = {"index": 0, "id": "c1", "type": "function", "function": function}
    return sse_reply([piece({"tool_calls": [call]}), piece({}, "tool_calls")])


class Desk:
    """A person's project, whose models are scripted on loopback."""

    def __init__(self, root: Path, home: Path, url: str, requests: list[HttpRequest]) -> None:
        self.root, self.home, self.url, self.requests = root, home, url, requests
        root.mkdir()

    def configure(self, summary: str = SETTINGS, more: str = "", plugins: str = '"...", "summary"') -> None:
        text = CONFIG.format(url=self.url, summary=summary, more=more, plugins=plugins)
        place = self.home / "config" / "inarch" / "config.toml"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def run(self, *words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-P", "-m", "inarch", *words]
        done = subprocess.run(command, cwd=self.root, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        assert done.returncode == code, (done.stdout, done.stderr)
        return done

    def talk(self, *prompts: str) -> list[dict[str, Any]]:
        """Run the prompts in one session, each in a process of its own; return the session's events."""
        events = []
        for place, prompt in enumerate(prompts):
            done = self.run(prompt, "--output", "jsonl", *(["--continue"] if place else []))
            events += [json.loads(line) for line in done.stdout.splitlines()]
        return events

    def bodies(self, model: str) -> list[Any]:
        asked = [request.json for request in self.requests if request.path.endswith("/chat/completions")]
        return [body for body in asked if body["model"] == model]


def text_of(body: Any) -> str:
    return json.dumps(body["messages"])


@pytest.fixture
def small() -> list[Callable[[HttpRequest], HttpReply]]:
    """What the model that sums up answers."""
    return [lambda _: says(SUMMED)]


@pytest.fixture
def desk(tmp_path: Path, own_home: Path, small: list[Callable[[HttpRequest], HttpReply]]) -> Iterator[Desk]:
    def answer(request: HttpRequest) -> HttpReply:
        if not request.body:
            return json_reply({"data": []})
        if request.json["model"] == "acme/small":
            return small[0](request)
        last = request.json["messages"][-1]
        ref = re.search(r'output_ref \\*"(\w[^"\\]*)', text_of(request.json))
        if last["role"] == "user" and last["content"].startswith("read it back") and ref:
            return calls("read_output", {"output_ref": ref[1]})
        return says("understood")

    with HttpServer([answer]) as server:
        yield Desk(tmp_path / "root", own_home, server.url, server.requests)


def test_old_turns_become_a_summary_before_the_window_is_full_and_can_be_read_back(desk: Desk) -> None:
    (desk.root / "AGENTS.md").write_text("Always say please.\n")
    desk.configure()
    desk.run("config", "trust", "--yes")
    events = desk.talk(f"first {LONG}", f"second {LONG}", f"third {LONG}", "go on", "read it back")
    left_out = [event["data"] for event in events if event["kind"] == "context.dropped"]
    assert {data["reason"] for data in left_out} == {"early"} and all(len(data["summaries"]) == 1 for data in left_out)
    (summary,) = left_out[0]["summaries"].values()
    assert summary.startswith("# Earlier in this conversation (a summary)\n" + SUMMED)
    asked, *later = desk.bodies("acme/small")
    record = text_of(asked)
    assert "Person: first word" in record and "Agent: understood" in record and "second" not in record
    assert "Always say please." not in record and not asked.get("tools")
    assert all(SUMMED in text_of(body) for body in later), "the summary before is summed up, too"
    after = [text_of(body) for body in desk.bodies("acme/large")][-3:]
    assert all(SUMMED in one and "first word" not in one and "Always say please." in one for one in after[:2])
    (read,) = [event["data"] for event in events if event["kind"] == "call.result"]
    assert read["status"] == "success" and "first word" in json.dumps(read["result"])
    told = [event["data"]["text"] for event in events if event["kind"] == "note"]
    assert any("left out before the model's window is full" in text and "but for a summary" in text for text in told)
    stats = desk.run("stats").stdout
    assert "summar" in stats and "acme/small" in stats


def test_a_summary_that_can_t_be_had_leaves_it_to_the_fixed_order(
    desk: Desk, small: list[Callable[[HttpRequest], HttpReply]]
) -> None:
    small[0] = lambda _: json_reply({"error": {"message": "no such model", "type": "invalid"}}, 404)
    desk.configure()
    events = desk.talk(*(f"{name} {LONG}" for name in ("first", "second", "third", "fourth", "fifth")))
    assert len([event for event in events if event["kind"] == "turn.ended"]) == 5
    skipped = [event["data"]["message"] for event in events if event["kind"] == "error"]
    assert skipped and all("compaction 'summary' was skipped" in text for text in skipped)
    reasons = [event["data"]["reason"] for event in events if event["kind"] == "context.dropped"]
    assert reasons and set(reasons) == {"window"}


@pytest.mark.parametrize("answer", ["", "  \n", "word " * 20_000])
def test_a_summary_that_says_nothing_or_is_longer_is_not_taken(
    desk: Desk, small: list[Callable[[HttpRequest], HttpReply]], answer: str
) -> None:
    small[0] = lambda _: says(answer)
    desk.configure()
    events = desk.talk(*(f"{name} {LONG}" for name in ("first", "second", "third", "fourth")))
    left_out = [event["data"] for event in events if event["kind"] == "context.dropped"]
    assert not any(data["summaries"] for data in left_out)


def test_nobody_is_asked_for_a_summary_where_the_plugin_is_not_named(desk: Desk) -> None:
    desk.configure(plugins='"..."', summary="")
    desk.talk(*(f"{name} {LONG}" for name in ("first", "second", "third", "fourth", "fifth")))
    assert not desk.bodies("acme/small")


@pytest.mark.parametrize("line", ["at = 0", "at = 1.5", "keep = -1", 'modell = "x"'])
def test_settings_that_mean_nothing_are_told(desk: Desk, line: str) -> None:
    desk.configure(summary=f"[plugins.summary]\n{line}\n")
    done = subprocess.run(
        [sys.executable, "-P", "-m", "inarch", "config", "check"], cwd=desk.root, capture_output=True, text=True
    )
    assert done.returncode != 0 and line.split()[0] in done.stdout + done.stderr


def test_a_replay_of_it_is_the_same(desk: Desk) -> None:
    desk.configure()
    events = desk.talk(*(f"{name} {LONG}" for name in ("first", "second", "third", "fourth")))
    assert any(event["kind"] == "context.dropped" for event in events)
    asked = len(desk.requests)
    said = desk.run("replay", events[0]["session_id"])
    assert "same" in said.stdout + said.stderr
    assert not [one for one in desk.requests[asked:] if one.path.endswith("/chat/completions")]


@pytest.mark.needs("bwrap")
@pytest.mark.parametrize(("plugins", "words", "reason"), [('"...", "summary"', 4, "early"), ('"..."', 6, "window")])
def test_a_hook_runs_before_a_conversation_is_shortened(desk: Desk, plugins: str, words: int, reason: str) -> None:
    desk.configure(plugins=plugins, summary=SETTINGS if "summary" in plugins else "")
    hooks = {"PreCompact": [{"matcher": "auto", "hooks": [{"type": "command", "command": "cat"}]}]}
    (desk.home / "config" / "inarch" / "hooks.json").write_text(json.dumps({"hooks": hooks}))
    events = desk.talk(*(f"{number} {LONG}" for number in range(words)))
    shortened = [event["data"] for event in events if event["kind"] == "context.dropped"]
    ran = [event["data"] for event in events if event["kind"] == "hooks.ran"]
    assert shortened and {data["reason"] for data in shortened} == {reason}
    assert json.loads(ran[0]["output"])["trigger"] == "auto"
    kinds = [event["kind"] for event in events]
    asked = [at for at, event in enumerate(events) if event["data"].get("purpose") == "summary"]
    assert kinds.index("hooks.ran") < min([kinds.index("context.dropped"), *asked])
