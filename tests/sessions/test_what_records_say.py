"""Who answered, how a prompt was given, what recovered a failed call: the same wherever a session is read."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from tests.replay.recording import Recorded, project, record

import inarch
from inarch import AnsweredBy, ProviderNote, Submitted
from inarch.testing import calls, says
from inarch_plugins.terminal.front_ends.json import JsonFrontEnd
from inarch_plugins.terminal.front_ends.text import TextFrontEnd
from inarch_sdk.context_breaks import MOST, Break, Breaks, break_lines
from inarch_sdk.exchanges import Recoveries
from inarch_sdk.figures import answered_words

ANSWERED = AnsweredBy("script-8", "A Company")
PATCH = ("patch_source_file", {"file_path": "shop/basket.py", "search": "* 15", "replace": "* 16", "description": "d"})
VAIN = (PATCH[0], {**PATCH[1], "search": "no such text"})
READ = ("read_file", {"file_path": "shop/basket.py"})


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    repaired = ProviderNote("took the name 'functions.read_file' for 'read_file'", repair=True)

    async def play(session: inarch.Session, app: inarch.App) -> None:
        await session.run(Submitted("weigh anew", mode="voice"))

    script = [[repaired, *calls(VAIN)], calls(READ), [ANSWERED, *calls(PATCH)], [ANSWERED, *says("It is 16 now.")]]
    return record(project(tmp_path_factory.mktemp("said") / "proj"), script, play=play, config=EDITS)


EDITS = {"profiles": {"default": {"approve": "edits"}}}


def test_the_turn_says_who_answered_it_and_how_its_prompt_was_given(recorded: Recorded) -> None:
    (turn,) = recorded.turns
    assert (turn.model, turn.answered_by, turn.company, turn.mode) == (
        "scripted/script", "script-8", "A Company", "voice",
    )  # fmt: skip
    started = [event.data["turn"] for event in recorded.events() if event.kind == "turn.started"]
    assert [(one["type"], one["mode"]) for one in started] == [("user", "voice"), ("agent", "voice")]


def test_output_json_has_all_of_it_and_no_repair_is_shown(
    recorded: Recorded, capsys: pytest.CaptureFixture[str]
) -> None:
    out = io.StringIO()
    front_ends = JsonFrontEnd(out), TextFrontEnd(io.StringIO(), io.StringIO())
    for event in recorded.events():
        for front_end in front_ends:
            front_end.show(event)
    turn = json.loads(out.getvalue())["turn"]
    assert (turn["answered_by"], turn["company"], turn["mode"]) == ("script-8", "A Company", "voice")
    assert [call.get("recovered_by") for call in turn["calls"]] == [turn["calls"][2]["id"], None, None]
    assert "functions." not in capsys.readouterr().err


def tried(number: int, name: str, status: str, *, reads: Any = None, **arguments: Any) -> list[Any]:
    """Return the events of a call: refused before it was known what it does where `reads` is None."""
    call_id, call = f"c{number}", {"arguments": arguments}
    error = {"code": "execution", "message": "no"} if status == "error" else None
    effects = {"reads": reads, "writes": [], "programs": False}
    states = [{"call": call}] + ([{"effects": effects}] if reads is not None else [])
    rows = [("call.state", {"call_id": call_id, "name": name, "status": "validating", **one}) for one in states]
    return [*rows, ("call.result", {"call_id": call_id, "name": name, "status": status, "result": {"error": error}})]


@pytest.mark.parametrize(
    ("failed", "later", "recovers"),
    [
        ({"name": "run", "reads": [], "words": "tests"}, {"name": "run", "reads": [], "words": "tests"}, True),
        ({"name": "run", "reads": [], "words": "tests"}, {"name": "run", "reads": [], "words": "ls"}, False),
        ({"name": "read", "path": "a"}, {"name": "read", "reads": ["a"], "file_path": "a"}, True),
        ({"name": "read", "path": "a"}, {"name": "read", "reads": ["b"], "file_path": "b"}, False),
        ({"name": "read", "path": "a"}, {"name": "look", "reads": ["a"], "path": "a"}, False),
    ],
)
def test_a_later_call_recovers_a_failed_one(failed: dict[str, Any], later: dict[str, Any], recovers: bool) -> None:
    def found(*rows: Any) -> dict[str, str]:
        recoveries = Recoveries()
        for number, (kind, data) in enumerate(rows, 1):
            recoveries.take(inarch.Event(number, "", "s", "t", kind, data))
        return recoveries.of

    first, second = tried(1, status="error", **failed), tried(2, status="success", **later)
    assert found(*first, *second) == ({"c1": "c2"} if recovers else {})
    assert found(*first[:-1], *second[:-1], first[-1], second[-1]) == {}, "calls of one reply recover nothing"
    assert found(*second, *first) == {}
    assert found(*first, ("turn.started", {}), *second) == {}


@pytest.mark.parametrize(
    ("asked", "by", "said"),
    [
        ("gemini/gemini-flash-latest", "gemini-3.8-flash", "answered by gemini-3.8-flash"),
        ("openai/gpt-6.1-sol", "gpt-6.1-sol", ""),
        ("litellm/openai/gpt-6.1-sol", "gpt-6.1-sol", ""),
        ("openrouter/openai/gpt-6.1-sol", "openai/gpt-6.1-sol", ""),
        ("openai/gpt-6.1-sol", "", ""),
        ("openai/gpt-6.1-sol", "sol", "answered by sol"),
        ("openai/gpt-6.2-sol", "gpt-6.2-sol-2026-11-17", ""),
        ("anthropic/claude-haiku", "claude-haiku-20261009", ""),
        ("openai/gpt-6.2-sol-2026-10-01", "gpt-6.2-sol-2026-11-17", "answered by gpt-6.2-sol-2026-11-17"),
    ],
)
def test_who_answered_is_said_where_it_is_another(asked: str, by: str, said: str) -> None:
    assert answered_words(asked, by) == said


def test_where_the_context_began_anew_is_said_with_the_request_that_follows() -> None:
    def asks(purpose: str = "turn") -> tuple[str, dict[str, Any]]:
        return "model.requested", {"purpose": purpose}

    def said(*rows: tuple[str, dict[str, Any]]) -> list[str]:
        breaks = Breaks()
        for number, (kind, data) in enumerate(rows, 1):
            breaks.take(inarch.Event(number, "", "s", "t", kind, data))
            kept, breaks = json.loads(json.dumps(breaks.to_data())), Breaks()
            breaks.go_on_from(kept)
        return [line.removeprefix("context began anew before request ") for line in break_lines(breaks.found)]

    window, asked, other = [("context.dropped", {"reason": reason}) for reason in ("window", "asked", "of later")]
    broken, service = [("context.broken", {"reason": reason}) for reason in ("compaction", "service")]
    before = [window, asks(), asks("summary"), asks(), window, asks("decision"), asks()]
    assert said(*before, asked, other, asks()) == [
        "3: compaction (to fit the window)", "4: compaction (/compact, of later)",
    ]  # fmt: skip
    fixed = ("context.fixed", {})
    assert said(fixed, *before, asked, broken, service, asks(), broken, asks()) == [
        "4: compaction (/compact)", "4: another service was asked", "5: compaction",
    ]  # fmt: skip
    lines = [*break_lines([Break(number, "w") for number in range(1, 31)])]
    assert len(lines) == MOST + 1 and "30 times" in lines[0] and "request 30:" in lines[-1]
