"""Hooks that let no model see a prompt, end a turn, and are run as a session ends or before it is shortened."""

from __future__ import annotations

import asyncio
import json
import shlex
from pathlib import Path

import pytest

import inarch
from inarch.testing import calls, says
from inarch_plugins.replay import replay

from .conftest import Desk, one

READ = ("read_file", {"file_path": "a.txt"})
WRITE = ("write_file", {"file_path": "new.txt", "content": "text\n"})
STOP = {"continue": False, "stopReason": "that is enough"}
pytestmark = pytest.mark.needs("confinement")


def replayed(desk: Desk) -> None:
    """Replay what was said, where every hook says something else; the same comes of it, and none is run."""
    kinds = ("UserPromptSubmit", "PreToolUse", "PostToolUse", "SessionEnd")
    mark = desk.root.parent / "ran"
    desk.users(dict.fromkeys(kinds, one(f"touch {mark}")), confine=False)
    report = asyncio.run(replay(desk.events[0].session_id, root=desk.root, config={}, environ=desk.environ))
    assert report.same, report.first_difference
    assert not mark.exists()


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("if grep -q secret; then echo no secrets >&2; exit 2; fi", "no secrets"),
        ('if grep -q secret; then echo \'{"decision": "block", "reason": "not that"}\'; fi', "not that"),
        ('if grep -q secret; then echo \'{"continue": false, "stopReason": "enough"}\'; fi', "enough"),
    ],
)
def test_no_model_sees_a_prompt_that_is_blocked(desk: Desk, script: str, reason: str) -> None:
    desk.users({"UserPromptSubmit": one("sh -c " + shlex.quote(script))})
    turn = desk.talk([says("fine")], "a secret word", "hello")
    assert turn.content == "fine" and [event["turn"]["content"] for event in desk.of("turn.ended")] == [
        f"stopped by hooks: {reason}", "fine",
    ]  # fmt: skip
    assert [event["turn"]["unmet"] for event in desk.of("turn.ended")] == [True, False]
    (request,) = desk.requests
    assert [message.text.partition("\n")[0] for message in request.messages] == ["hello"]
    assert "secret" not in repr(request)
    replayed(desk)


def test_a_call_that_a_hook_stops_at_is_not_run_nor_any_beside_it(desk: Desk) -> None:
    (desk.config / "stop.json").write_text(json.dumps(STOP))
    desk.users({"PreToolUse": one("cat stop.json", "Read")})
    turn = desk.talk([calls(WRITE, READ), says("never said")], approve="all")
    assert turn.content == "stopped by hooks: that is enough" and (turn.status, turn.unmet) == ("done", True)
    assert not (desk.root / "new.txt").exists() and len(desk.requests) == 1
    assert sorted(call["result"]["error"]["code"] for call in desk.of("call.result")) == ["cancelled", "denied"]
    (rewritten,) = desk.of("call.rewritten")
    assert (rewritten["decision"], rewritten["reason"]) == ("stop", "that is enough")
    replayed(desk)


def test_a_hook_after_a_call_ends_the_turn_and_what_follows_knows_of_it(desk: Desk) -> None:
    (desk.config / "stop.json").write_text(json.dumps(STOP))
    desk.users({"PostToolUse": one("cat stop.json", "Write")})
    desk.talk([calls(WRITE), says("after all")], "write it", "and now?", approve="all")
    assert (desk.root / "new.txt").exists()
    (reviewed,) = desk.of("call.reviewed")
    assert reviewed["stop"] is True and reviewed["text"] == "that is enough"
    first, second = desk.of("turn.ended")
    assert first["turn"]["content"] == "stopped by hooks: that is enough" and second["turn"]["content"] == "after all"
    last = [message.text for message in desk.requests[-1].messages if message.role == "assistant"]
    assert last[-1] == "stopped by hooks: that is enough"
    live = desk.requests[-1].messages[:-1]
    app = inarch.compose(root=desk.root, config={}, environ=desk.environ)
    kept = app.session(desk.events[0].session_id).state.earlier_messages()
    app.close()
    assert tuple(kept[: len(live)]) == live
    replayed(desk)


def test_one_that_lets_a_turn_end_goes_before_one_that_holds_it_back(desk: Desk) -> None:
    (desk.config / "stop.json").write_text(json.dumps(STOP))
    desk.users({"Stop": [*one("sh -c 'echo go on >&2; exit 2'"), *one("cat stop.json")]})
    assert desk.talk([says("done")]).content == "done"
    assert desk.of("turn.held") == [] and len(desk.of("hooks.ran")) == 2


@pytest.mark.parametrize("confine", [True, False])
def test_the_end_of_a_session_runs_its_hooks_once(desk: Desk, confine: bool) -> None:
    desk.users({"SessionEnd": [*one("cat"), *one("sleep 600", timeout=0.3)]}, confine=confine)
    desk.talk([says("one"), says("two")], "first", "second")
    told, late = desk.of("hooks.ran")
    given = json.loads(told["output"])
    assert given == {
        "hook_event_name": "SessionEnd", "session_id": desk.events[0].session_id, "cwd": str(desk.root),
        "reason": "other", "permission_mode": "default", "transcript_path": given["transcript_path"],
    }  # fmt: skip
    assert not Path(given["transcript_path"]).exists()
    assert told["confined"] is confine and late["timed_out"] is True
    kinds = [event.kind for event in desk.events]
    assert kinds.index("hooks.ran") > max(at for at, kind in enumerate(kinds) if kind == "turn.ended")
    app = inarch.compose(root=desk.root, config={}, environ=desk.environ)
    kept = [event.kind for event in app.store.load(desk.events[0].session_id)]
    assert kept.count("hooks.ran") == 2
    app.close()
    replayed(desk)
