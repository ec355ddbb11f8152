"""Shell hooks through the default composition: real commands, confined, recorded, and never in the way of a turn."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch.testing import calls, says
from inarch_plugins.hooks.call_hooks import FIELDS, shown, taken

from .conftest import Desk, one

READ = ("read_file", {"file_path": "a.txt"})
WRITE = ("write_file", {"file_path": "new.txt", "content": "text\n"})
ONCE = 'grep -q "stop_hook_active.: true" && exit 0;'
pytestmark = pytest.mark.needs("confinement")


def test_the_input_is_what_such_hooks_know(desk: Desk) -> None:
    desk.users({"PreToolUse": one("cat", "Read"), "PostToolUse": one("cat", "read_file")})
    assert desk.talk([calls(("read_file", {"file_path": "a.txt", "start_line": 1, "end_line": 1})), says("done")])
    before, after = (json.loads(event["output"]) for event in desk.of("hooks.ran"))
    assert before["hook_event_name"] == "PreToolUse" and before["tool_name"] == "Read"
    assert before["tool_input"] == {"file_path": f"{desk.root}/a.txt", "offset": 1, "limit": 1}
    assert before["cwd"] == str(desk.root) and before["session_id"] == desk.events[0].session_id
    assert before["tool_use_id"] == desk.of("call.result")[0]["call_id"]
    assert after["tool_response"]["content"] == "one\n"


def test_exit_2_denies_with_its_reason_and_any_other_goes_on(desk: Desk) -> None:
    desk.users({"PreToolUse": [*one("sh -c 'echo not that >&2; exit 2'", "Write|Edit"), *one("false", "Read")]})
    desk.talk([calls(READ, WRITE), says("done")], approve="all")
    assert "one" in desk.seen[0]
    assert "write_file is denied: hooks: not that" in desk.seen[1]
    assert not (desk.root / "new.txt").exists()
    assert sorted((event["exit_code"], event["fault"]) for event in desk.of("hooks.ran")) == [
        (1, "failed with exit code 1"), (2, ""),
    ]  # fmt: skip


def test_json_rewrites_asks_and_adds(desk: Desk) -> None:
    told = {"hookSpecificOutput": {"updatedInput": {"file_path": f"{desk.root}/b.txt"}}}
    added = {"hookSpecificOutput": {"additionalContext": "mind the gap"}}
    (desk.root / "b.txt").write_text("two\n")
    (desk.config / "pre.json").write_text(json.dumps(told))
    (desk.config / "post.json").write_text(json.dumps(added))
    desk.users({"PreToolUse": one("cat pre.json"), "PostToolUse": one("cat post.json", "Read")})
    desk.talk([calls(READ), says("done")])
    assert "two" in desk.seen[0] and desk.seen[0].endswith("Added by hooks:\nmind the gap")


def test_allow_counts_from_the_users_file_with_the_users_word(desk: Desk) -> None:
    (desk.config / "yes.json").write_text('{"hookSpecificOutput": {"permissionDecision": "allow"}}')
    (desk.root / "yes.json").write_bytes((desk.config / "yes.json").read_bytes())
    desk.users({"PreToolUse": one("cat yes.json", "Write")}, confine=False)
    desk.talk([calls(WRITE), says("done")])
    assert not (desk.root / "new.txt").exists()
    desk.talk([calls(WRITE), says("done")], config={"may_allow": ["hooks"]})
    assert (desk.root / "new.txt").exists()
    (desk.root / "new.txt").unlink()
    (desk.root / ".inarch").mkdir()
    project = {"hooks": {"PreToolUse": one("cat yes.json", "Write")}, "confine": False}
    (desk.root / ".inarch/hooks.json").write_text(json.dumps(project))
    desk.trust()
    desk.users({})
    desk.talk([calls(WRITE), says("done")], config={"may_allow": ["hooks"]})
    assert not (desk.root / "new.txt").exists()
    assert any("confine is ignored" in note["text"] for note in desk.of("note"))
    assert desk.of("hooks.ran")[-1]["confined"] is True


def test_nothing_of_a_project_that_is_not_trusted_is_run(desk: Desk) -> None:
    for folder, name in ((".inarch", "hooks.json"), (".claude", "settings.json")):
        (desk.root / folder).mkdir()
        (desk.root / folder / name).write_text(json.dumps({"hooks": {"PreToolUse": one("false")}}))
    desk.users({}, read=["claude"])
    desk.talk([calls(READ), says("done")])
    assert desk.of("hooks.ran") == []
    desk.trust()
    desk.users({})
    desk.talk([calls(READ), says("done")])
    assert [Path(event["source"]).name for event in desk.of("hooks.ran")] == ["hooks.json"]
    desk.events.clear()
    desk.users({}, read=["claude"])
    desk.talk([calls(READ), says("done")])
    assert [Path(event["source"]).name for event in desk.of("hooks.ran")] == ["hooks.json", "settings.json"]
    (desk.root / ".claude/settings.json").write_text("{}")
    desk.events.clear()
    desk.talk([calls(READ), says("done")])
    assert desk.of("hooks.ran") == []


def test_a_confined_hook_writes_only_what_its_call_was_to_write(desk: Desk) -> None:
    command = desk.script("mend.sh", "echo mended >> new.txt; echo a > stray.txt; echo b > $HOME/stray.txt; true")
    desk.users(dict.fromkeys(("SessionStart", "PreToolUse", "PostToolUse", "Stop"), one(command)))
    desk.talk([calls(WRITE, READ), says("done")], approve="all")
    assert (desk.root / "new.txt").read_text() == "text\nmended\n"
    assert not (desk.root / "stray.txt").exists()
    assert {path.name for path in desk.root.parent.rglob("stray.txt")} == set()


def test_sessions_start_prompts_and_ends(desk: Desk) -> None:
    objects = desk.script("objects.sh", f"""{ONCE} echo '{{"decision": "block", "reason": "the tests fail"}}'""")
    desk.users({
        "SessionStart": one("echo the branch is main"),
        "UserPromptSubmit": one("sh -c 'echo you said: $(cat | wc -c) bytes'"),
        "Stop": one(objects),
    })  # fmt: skip
    turn = desk.talk([says("one"), says("two"), says("three"), says("four")], "first", "second")
    prompts = [request.messages[0].text for request in desk.requests]
    assert "the branch is main" in prompts[0] and "you said:" in prompts[0]
    assert [event["event"] for event in desk.of("hooks.ran")] == [
        "SessionStart", "UserPromptSubmit", "Stop", "Stop", "UserPromptSubmit", "Stop", "Stop",
    ]  # fmt: skip
    assert [event["reason"] for event in desk.of("turn.held")] == ["the tests fail", "the tests fail"]
    assert turn.content == "four"


BAD: dict[str, tuple[str, Callable[[str], bool]]] = {
    "forks": (
        "sh -c 'for i in 1 2; do sleep 600 & done; sleep 600'",
        lambda fault: "did not end within" in fault,
    ),
    "much": ("sh -c 'yes | head -c 100000000'", lambda fault: "too much" in fault or "did not end" in fault),
    "no JSON": ("echo '{\"hookSpecificOutput\": '", lambda fault: "invalid JSON" in fault),
    "not executable": ("./plain.txt", lambda fault: fault != ""),
    "not there": ("no-such-program --x", lambda fault: "no-such-program" in fault),
    "killed": ("sh -c 'kill -9 $$'", lambda fault: "killed" in fault),
}


@pytest.mark.parametrize("confine", [True, False])
@pytest.mark.parametrize("name", BAD)
def test_one_that_goes_wrong_is_shown_and_its_call_needs_a_person(desk: Desk, name: str, confine: bool) -> None:
    command, fits = BAD[name]
    (desk.config / "plain.txt").write_text("no program\n")
    desk.users({"PreToolUse": one(command, timeout=0.5)}, confine=confine)
    turn = desk.talk([calls(READ), says("done")], approve="all")
    assert turn.status == "done" and "read_file needs approval" in desk.seen[0] and "PreToolUse hook" in desk.seen[0]
    (ran,) = desk.of("hooks.ran")
    assert fits(ran["fault"]), ran["fault"]
    assert len(ran["output"]) <= 4_000


def test_what_follows_a_failure_is_the_users_word_and_no_event_stops_the_turn(desk: Desk) -> None:
    bad = one("no-such-program")
    hooks = {"SessionStart": bad, "PostToolUse": bad, "Stop": bad}
    desk.users({**hooks, "PreToolUse": one("no-such-program", on_failure="deny")})
    desk.talk([calls(READ), says("done")], approve="all")
    assert "read_file is denied" in desk.seen[0]
    desk.events.clear()
    desk.users({**hooks, "PreToolUse": one("no-such-program", on_failure="allow")})
    desk.talk([calls(READ), says("done")])
    assert "one" in desk.seen[0]
    ran = desk.of("hooks.ran")
    assert [event["event"] for event in ran] == ["SessionStart", "PreToolUse", "PostToolUse", "Stop"]
    assert all(event["fault"] and event["notice"] for event in ran)


def test_a_replay_says_again_what_hooks_said_and_runs_none(desk: Desk) -> None:
    from inarch_plugins.replay import replay

    command = desk.script("mend.sh", "echo ran >> $0.log; echo mended >> new.txt; echo mind the gap >&2; exit 2")
    objection = one(f"sh -c '{ONCE} echo run the tests >&2; exit 2'")
    desk.users({"PostToolUse": one(command), "Stop": objection, "PreToolUse": one("sh -c 'exit 2'", "Read")})
    desk.talk([calls(WRITE, READ), says("done"), says("still done")], approve="all")
    assert (desk.root / "new.txt").read_text() == "text\nmended\n"
    ran = len(desk.of("hooks.ran"))
    desk.users({event: one("false") for event in ("PreToolUse", "PostToolUse", "Stop")})
    session = desk.events[0].session_id
    report = asyncio.run(replay(session, root=desk.root, config={}, environ=desk.environ))
    assert report.same, report.first_difference
    assert ran == 4


@given(
    tool=st.sampled_from(sorted({*FIELDS, "read_file", "move_file", "read_multiple_files", "git_commit", "other"})),
    numbers=st.fixed_dictionaries({}, optional={"start_line": st.integers(1, 99), "timeout_s": st.integers(1, 99)}),
    texts=st.dictionaries(st.sampled_from(["content", "search", "replace", "pattern", "message", "other"]), st.text()),
    path=st.sampled_from(["a.txt", "sub/b.txt", "ü x.txt"]),
    count=st.none() | st.integers(1, 50),
)
def test_fields_come_back_as_they_were(
    tool: str, numbers: dict[str, int], texts: dict[str, str], path: str, count: int | None
) -> None:
    arguments: dict[str, Any] = {**numbers, **texts, "file_path": path, "file_paths": [path, "b"]}
    if count is not None:
        arguments["end_line"] = numbers.get("start_line", 1) + count - 1
    given = shown(tool, arguments, "/root/of")
    assert given["file_path"] == f"/root/of/{path}"
    assert taken(tool, given, "/root/of") == arguments


def test_a_hook_sees_each_file_of_a_patch(desk: Desk) -> None:
    look = desk.script("look", "grep -q 'file_path.*/kept/' && { echo keep out >&2; exit 2; } || exit 0")
    desk.users({"PreToolUse": one(look, "Edit|Write")})

    def patch(*paths: str) -> tuple[str, dict[str, Any]]:
        files = "".join(f"*** Add File: {path}\n+x\n" for path in paths)
        return "apply_patch", {"patch": f"*** Begin Patch\n{files}*** End Patch"}

    desk.talk([calls(patch("b.txt", "kept/c.txt")), calls(patch("b.txt")), says("done")], approve="all")
    assert not (desk.root / "kept").exists() and (desk.root / "b.txt").read_text() == "x\n"
    assert [json.loads(event["output"] or "{}") for event in desk.of("hooks.ran")] == [{}, {}, {}]
    assert [call["result"]["success"] for call in desk.of("call.result")] == [False, True]


SECRET: dict[str, dict[str, Any]] = {
    "read_multiple_files": {"file_paths": ["a.txt", "secret.txt"]},
    "move_file": {"file_path": "secret.txt", "new_path": "b.txt"},
    "delete_file": {"file_path": "secret.txt"},
    "git_blame": {"file_path": "secret.txt"},
    "start_process": {"command": "cat secret.txt"},
    "save_memory": {"text": "secret.txt is secret"},
    "task": {"agent": "explore", "prompt": "read secret.txt"},
    "write_todos": {"todos": [{"content": "read secret.txt", "status": "pending"}]},
}


def test_a_guard_by_the_names_of_claude_code_covers_what_does_the_same(desk: Desk) -> None:
    (desk.root / "secret.txt").write_text("TOP\n")
    look = desk.script("look", "grep -q secret && { echo keep out >&2; exit 2; } || exit 0")
    desk.users({"PreToolUse": one(look, "Read|Edit|Write|Bash|Agent|TodoWrite")})
    desk.talk([calls(*SECRET.items()), says("done")], approve="all", plugins=["...", "plan", "memory"])
    for tool, seen in zip(SECRET, desk.seen, strict=True):
        assert f"{tool} is denied: hooks: keep out" in seen
    assert (desk.root / "secret.txt").exists()


def test_a_hook_sees_each_file_of_a_call_by_the_name_that_it_matched(desk: Desk) -> None:
    for name in ("b.txt", "c.txt"):
        (desk.root / name).write_text(f"{name}\n")
    desk.users({"PreToolUse": [*one("cat", "Write|Read"), *one("cat", "move_file|list_directory")]})
    read = ("read_multiple_files", {"file_paths": ["b.txt", "c.txt"]})
    desk.talk(
        [calls(read, ("move_file", {"file_path": "b.txt", "new_path": "d.txt"}), ("list_directory", {})), says("done")],
        approve="all",
    )
    said = [json.loads(event["output"]) for event in desk.of("hooks.ran")]
    seen = [(one["tool_name"], one["tool_input"].get("file_path", "").removeprefix(f"{desk.root}/")) for one in said]
    assert seen == [
        ("Read", "b.txt"), ("Read", "c.txt"), ("Write", "b.txt"), ("Write", "d.txt"), ("Edit", "b.txt"),
        ("Edit", "d.txt"), ("LS", ""),
    ]  # fmt: skip
    assert (desk.root / "d.txt").exists()


def test_a_hook_that_rewrites_a_call_of_many_files_keeps_nothing_from_the_next(desk: Desk) -> None:
    (desk.root / "secret.txt").write_text("TOP\n")
    given = {"file_paths": [f"{desk.root}/a.txt", f"{desk.root}/secret.txt"], "file_path": f"{desk.root}/a.txt"}
    (desk.config / "pre.json").write_text(json.dumps({"hookSpecificOutput": {"updatedInput": given}}))
    look = desk.script("look", "grep -q 'file_path\"[^,]*secret' && { echo keep out >&2; exit 2; } || exit 0")
    desk.users({"PreToolUse": [*one("cat pre.json", "Read"), *one(look, "Read")]})
    desk.talk([calls(("read_multiple_files", {"file_paths": ["a.txt"]})), says("done")], approve="all")
    assert "keep out" in desk.seen[0] and "TOP" not in desk.seen[0]


def test_a_call_of_more_files_than_hooks_can_look_at_is_denied(desk: Desk) -> None:
    desk.users({"PreToolUse": one("true", "Read")})
    desk.talk([calls(("read_multiple_files", {"file_paths": [f"{at}.txt" for at in range(201)]})), says("done")])
    assert "name fewer files in a call" in desk.seen[0] and not desk.of("hooks.ran")
