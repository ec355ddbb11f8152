"""A model sums up what a long conversation has no room for; where it can't, the fixed order of leaving out holds."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import inarch
from inarch.testing import ScriptedModel, Step, calls, says, scripted_app
from inarch_plugins.replay import replay

WINDOW = 24_000
LONG = "word " * 3300
"""About a fifth of what there is room for."""
SUMMED = "The person wants British English. Four things were told."
NAMES = ("first", "second", "third", "fourth", "fifth")
Answer = Callable[[inarch.ModelRequest], Step]


class Small(ScriptedModel):
    """A scripted model with a small window."""

    def limits(self, model: str) -> inarch.Limits:
        return inarch.Limits(context_tokens=WINDOW)


class Desk:
    """A project whose model answers prompts, and requests for a summary as `summed` says."""

    def __init__(self, home: Path) -> None:
        self.home, self.root = home, home / "root"
        self.root.mkdir()
        self.config: dict[str, Any] = {
            "profiles": {"default": {"plugins": ["...", "openai-compatible", "summary"]}},
            "plugins": {
                "summary": {"at": 0.6, "keep": 1},
                "openai-compatible": {"base_url": "http://127.0.0.1:9", "context_tokens": WINDOW},  # for a replay
            },
        }
        self.environ = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
        self.environ |= {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CONFIG", "STATE", "CACHE", "DATA")}
        self.summed: Answer = lambda _: says(SUMMED)
        self.requests: list[inarch.ModelRequest] = []
        self.events: list[inarch.Event] = []

    def _answer(self, request: inarch.ModelRequest) -> Step:
        if request.purpose == "summary":
            return self.summed(request)
        ref = re.search(r'output_ref "([^"]*)"', text_of(request))
        if request.messages[-1].role == "user" and request.messages[-1].text.startswith("read it back") and ref:
            return calls(("read_output", {"output_ref": ref[1]}))
        return says("understood")

    def talk(self, *prompts: str) -> None:
        """Run the prompts in one session."""

        async def go() -> None:
            model = Small([self._answer], "openai-compatible", repeat=True)
            app, _ = scripted_app(model, self.root, config=self.config, environ=self.environ, journal=True)
            session = app.session()
            session.state.journal.listeners.append(self.events.append)
            for prompt in prompts:
                await session.run(prompt)
            self.requests = model.requests
            await app.aclose()

        asyncio.run(go())

    def of(self, kind: str) -> list[Mapping[str, Any]]:
        return [event.data for event in self.events if event.kind == kind]

    def asked(self, purpose: str) -> list[inarch.ModelRequest]:
        return [request for request in self.requests if request.purpose == purpose]


def text_of(request: inarch.ModelRequest) -> str:
    return "\n".join(part.text for one in request.messages for part in one.parts if isinstance(part, inarch.Text))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_old_turns_become_a_summary_before_the_window_is_full_and_can_be_read_back(desk: Desk) -> None:
    desk.talk(*(f"{name} {LONG}" for name in NAMES[:3]), "go on", "read it back")
    left_out = desk.of("context.dropped")
    assert {data["reason"] for data in left_out} == {"early"} and all(len(data["summaries"]) == 1 for data in left_out)
    (summary,) = left_out[0]["summaries"].values()
    assert summary.startswith("# Earlier in this conversation (a summary)\n" + SUMMED)
    asked, *later = desk.asked("summary")
    record = text_of(asked)
    assert "Person: first word" in record and "Agent: understood" in record and "second" not in record
    assert not asked.tools
    assert all(SUMMED in text_of(request) for request in later), "the summary before is summed up, too"
    after = [text_of(request) for request in desk.asked("turn")][-3:]
    assert all(SUMMED in one and "first word" not in one for one in after[:2])
    (read,) = desk.of("call.result")
    assert read["status"] == "success" and "first word" in json.dumps(read["result"])
    told = [data["text"] for data in desk.of("note")]
    assert any("left out before the model's window is full" in text and "but for a summary" in text for text in told)
    count = len(desk.requests)
    report = asyncio.run(replay(desk.events[0].session_id, root=desk.root, config=desk.config, environ=desk.environ))
    assert report.same, report.first_difference
    assert len(desk.requests) == count


def test_a_summary_that_can_t_be_had_leaves_it_to_the_fixed_order(desk: Desk) -> None:
    desk.summed = lambda _: [inarch.ProviderError("model", "no such model")]
    desk.talk(*(f"{name} {LONG}" for name in NAMES))
    assert len(desk.of("turn.ended")) == 5
    skipped = [data["message"] for data in desk.of("error")]
    assert skipped and all("compaction 'summary' was skipped" in text for text in skipped)
    assert {data["reason"] for data in desk.of("context.dropped")} == {"window"}


@pytest.mark.parametrize("answer", ["  \n", "word " * 20_000])
def test_a_summary_that_says_nothing_or_is_longer_is_not_taken(desk: Desk, answer: str) -> None:
    desk.config["plugins"]["summary"]["model"] = "openai-compatible/small"
    desk.summed = lambda _: says(answer)
    desk.talk(*(f"{name} {LONG}" for name in NAMES[:4]))
    assert {request.model for request in desk.asked("summary")} == {"small"}
    assert not any(data["summaries"] for data in desk.of("context.dropped"))


@pytest.mark.parametrize("settings", [{"at": 0}, {"at": 1.5}, {"keep": -1}, {"modell": "x"}])
def test_settings_that_mean_nothing_are_reported(desk: Desk, settings: dict[str, Any]) -> None:
    desk.config["plugins"]["summary"] = settings
    with pytest.raises(inarch.InarchError, match=next(iter(settings))):
        inarch.compose(root=desk.root, config=desk.config, environ=desk.environ)


@pytest.mark.needs("confinement")
@pytest.mark.parametrize(("plugins", "words", "reason"), [(["summary"], 4, "early"), ([], 6, "window")])
def test_a_hook_runs_before_a_conversation_is_shortened(
    desk: Desk, plugins: list[str], words: int, reason: str
) -> None:
    desk.config["profiles"]["default"]["plugins"] = ["...", "openai-compatible", *plugins]
    hooks = {"PreCompact": [{"matcher": "auto", "hooks": [{"type": "command", "command": "cat"}]}]}
    (desk.home / "config" / "inarch").mkdir(parents=True)
    (desk.home / "config" / "inarch" / "hooks.json").write_text(json.dumps({"hooks": hooks}))
    desk.talk(*(f"{number} {LONG}" for number in range(words)))
    assert {data["reason"] for data in desk.of("context.dropped")} == {reason}
    assert bool(desk.asked("summary")) == ("summary" in plugins)
    assert json.loads(desk.of("hooks.ran")[0]["output"])["trigger"] == "auto"
    kinds = [event.kind for event in desk.events]
    asked = [at for at, event in enumerate(desk.events) if event.data.get("purpose") == "summary"]
    assert kinds.index("hooks.ran") < min([kinds.index("context.dropped"), *asked])
