"""Hooks and permissions in the forms of Claude Code's settings, in real runs."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import inarch
from inarch.testing import calls, says
from inarch_plugins.hooks.permission_rules import Asked, Rule, judged
from inarch_plugins.replay import replay

from .conftest import Desk, one
from .test_guards import Person
from .test_hooks import READ, WRITE
from .test_rights import project

confined = pytest.mark.needs("confinement")
NO = "sh -c 'echo guarded >&2; exit 2'"


def run(command: str) -> tuple[str, dict[str, Any]]:
    """Return a call of a command."""
    return "execute_command", {"command": command}


@confined
def test_a_hook_with_if_runs_only_for_the_calls_of_its_rule(desk: Desk) -> None:
    desk.users({"PreToolUse": one(NO, "Bash", **{"if": "Bash(git push *)"}), "Stop": one("true", **{"if": "Bash"})})
    desk.talk([calls(run("git status"), run("git push origin")), says("done")])
    assert "guarded" not in desk.seen[0] and "guarded" in desk.seen[1]
    assert [event["event"] for event in desk.of("hooks.ran")] == ["PreToolUse"]


@confined
def test_args_run_a_program_without_a_shell(desk: Desk) -> None:
    project(desk, {"UserPromptSubmit": one("printf", args=["%s|", "${CLAUDE_PROJECT_DIR}/a.txt", "a b", "$HOME;"])})
    desk.talk([says("done")])
    assert desk.of("hooks.ran")[0]["output"] == f"{desk.root}/a.txt|a b|$HOME;|"


@pytest.mark.parametrize("confine", [True, False])
@confined
def test_nothing_waits_for_an_async_hook_and_the_session_ends_it(desk: Desk, confine: bool) -> None:
    slow = one("sh -c 'exec sleep 400'", **{"async": True}, timeout=500)
    desk.users({"UserPromptSubmit": slow, "PreToolUse": slow, "Stop": slow}, confine=confine)
    began = time.monotonic()
    turn = desk.talk([calls(READ), says("done")])
    assert turn.content == "done" and "one" in desk.seen[0] and time.monotonic() - began < 300
    assert {event["text"].rpartition(": ")[2] for event in desk.of("hooks.ran")} == {"in the background"}


@confined
def test_a_hook_with_once_runs_once_a_session(desk: Desk) -> None:
    desk.users({"UserPromptSubmit": one("echo first", once=True)})
    desk.talk([says("one"), says("two")], "first", "second")
    assert len(desk.of("hooks.ran")) == 1


@confined
def test_local_settings_count_and_a_file_may_turn_hooks_off(desk: Desk) -> None:
    project(desk, {"UserPromptSubmit": one("echo shared")})
    project(desk, {"UserPromptSubmit": one("echo local")}, "settings.local.json")
    desk.talk([says("done")])
    assert [event["output"] for event in desk.of("hooks.ran")] == ["shared", "local"]
    desk.events.clear()
    desk.users({"UserPromptSubmit": one("echo mine")}, read=["claude"])
    project(desk, {"UserPromptSubmit": one("echo local")}, "settings.local.json", disableAllHooks=True)
    desk.talk([says("done")])
    assert [event["output"] for event in desk.of("hooks.ran")] == ["mine"]
    desk.users({"UserPromptSubmit": one("echo mine")}, read=["claude"], disableAllHooks=True)
    desk.events.clear()
    desk.talk([says("done")])
    assert desk.of("hooks.ran") == []


def test_permissions_of_a_project_deny_and_ask_and_those_of_the_user_allow(desk: Desk) -> None:
    rules = {"deny": ["Read(./secret/**)", "Bash(git push *)"], "ask": ["Read(a.txt)"], "allow": ["Write"]}
    (desk.root / "secret").mkdir()
    (desk.root / "secret/key.txt").write_text("TOPSECRET\n")
    secret = ("read_multiple_files", {"file_paths": ["secret/key.txt"]})
    project(desk, {}, permissions=rules)
    desk.talk([calls(secret, run("ls && git push -f"), READ, WRITE), says("done")], approve="all")
    assert all("is denied" in seen and "permissions.deny of .claude/settings.json" in seen for seen in desk.seen[:2])
    (desk.root / "new.txt").unlink()
    desk.talk([calls(READ, WRITE), says("done")])
    assert "needs approval" in desk.seen[0] and "needs approval" in desk.seen[1]
    (desk.root.parent / ".claude").mkdir()
    (desk.root.parent / ".claude/settings.json").write_text(json.dumps({"permissions": rules}))
    desk.talk([calls(secret, WRITE), says("done")], config={"may_allow": ["hooks"]})
    assert "is denied" in desk.seen[0] and (desk.root / "new.txt").exists()


def read_log(log: Path) -> list[dict[str, Any]]:
    """Return the inputs that hooks wrote one after the other."""
    return [json.loads(line) for line in log.read_text().replace("}{", "}\n{").splitlines()]


@confined
def test_a_task_has_its_own_events_and_the_hooks_of_its_agent(desk: Desk) -> None:
    (desk.root / ".claude/agents").mkdir(parents=True)
    front = "name: w\ndescription: works\nhooks:\n"
    guard = "  Stop:\n  - hooks: [{type: command, command: 'echo again >&2; exit 2'}]\n"
    guard += "  PreToolUse:\n  - matcher: Read\n    hooks: [{type: command, command: 'echo no >&2; exit 2'}]\n"
    (desk.root / ".claude/agents/w.md").write_text(f"---\n{front}{guard}---\nWork.\n")
    log = desk.root.parent / "log"
    every = ("SessionStart", "UserPromptSubmit", "SubagentStart", "Stop", "SessionEnd")
    hooks = dict.fromkeys(every, one(f"cat >> {log}"))
    desk.users({**hooks, "SubagentStop": one(f"cat >> {log}", "w")}, confine=False, read=["claude"])
    project(desk, {})
    task = ("task", {"agent": "w", "prompt": "x"})
    in_task = [calls(READ), *[says("read")] * 9]
    desk.talk([calls(task), *in_task, calls(READ), says("done")], approve="all")
    assert "one" in desk.seen[-1]  # the caller has no such guard
    assert "read_file is denied: hooks: no" in repr(desk.requests)
    seen = read_log(log)
    kinds = [one["hook_event_name"] for one in seen]
    assert kinds == ["SessionStart", "UserPromptSubmit", "SubagentStart", *["SubagentStop"] * 8, "Stop", "SessionEnd"]
    assert {one["agent_type"] for one in seen if "Subagent" in one["hook_event_name"]} == {"w"}
    assert seen[3]["last_assistant_message"] == "read" and seen[3]["agent_transcript_path"].endswith(".jsonl")


@confined
def test_a_failure_and_a_question_have_events(desk: Desk) -> None:
    log = desk.root.parent / "log"
    hooks = dict.fromkeys(
        ("PostToolUse", "PostToolUseFailure", "PermissionRequest", "Notification"), one(f"cat >> {log}")
    )
    desk.users(hooks, confine=False)
    desk.talk([calls(("read_file", {"file_path": "none.txt"}), WRITE), says("done")], front_end=Person())
    found = {one["hook_event_name"]: one for one in read_log(log)}
    assert found["PostToolUseFailure"]["tool_name"] == "Read" and "none.txt" in found["PostToolUseFailure"]["error"]
    assert found["PermissionRequest"]["tool_name"] == "Write"
    assert found["Notification"]["notification_type"] == "permission_prompt"
    assert found["PostToolUse"]["tool_input"]["file_path"] == f"{desk.root}/new.txt"


@confined
def test_a_stop_hook_reads_the_transcript(desk: Desk) -> None:
    script = """path=$(jq -r .transcript_path); grep -q '"type":"tool_result"' "$path" || exit 1
grep '"role":"assistant"' "$path" | tail -1 | jq -r '.message.content | map(select(.type == "text")) | map(.text)[0]'"""
    (desk.root / ".claude/hooks").mkdir(parents=True)
    (desk.root / ".claude/hooks/last.sh").write_text(script)
    project(desk, {"Stop": one("sh .claude/hooks/last.sh"), "UserPromptSubmit": one("jq -r .permission_mode")})
    desk.talk([calls(READ), says("the last words")], approve="edits")
    assert [event["output"] for event in desk.of("hooks.ran")] == ["acceptEdits", "the last words"]


@confined
def test_outputs_reach_the_model_and_the_user(desk: Desk) -> None:
    before = {
        "systemMessage": "look out",
        "hookSpecificOutput": {"additionalContext": "before"},
        "suppressOutput": True,
    }
    desk.users({
        "PreToolUse": one(f"echo '{json.dumps(before)}'"),
        "PostToolUse": one("""echo '{"hookSpecificOutput": {"updatedToolOutput": {"content": "else"}}}'"""),
        "SessionStart": one("sh -c 'echo rejected >&2; exit 2'"),
    })  # fmt: skip
    turn = desk.talk([calls(READ), says("done")])
    assert turn.content == "done" and desk.seen == ['{"content":"else"}\n\nAdded by hooks:\nbefore']
    start, pre, post = desk.of("hooks.ran")
    assert "look out" in pre["notice"] and pre["output"] == "" and "notice" not in post
    assert start["exit_code"] == 2
    report = asyncio.run(replay(desk.events[0].session_id, root=desk.root, config={}, environ=desk.environ))
    assert report.same, report.first_difference


def asked(command: str, name: str = "Bash") -> Asked:
    """Return a call of a command line."""
    return Asked((name, "execute_command"), {"command": command}, inarch.Effects(exclusive=True), "/w")


@pytest.mark.parametrize(
    ("rule", "command", "covers"),
    [
        ("Bash(git push *)", "git push", True), ("Bash(git push:*)", "git push -f", True),
        ("Bash(git push *)", "git pushx", False), ("Bash(git push)", "git push -f", False),
        ("Bash(git *)", "ls && A=1 git push", True), ("Bash(git *)", "echo $(git push)", True),
        ("Bash(git *)", "echo `git push`", True), ("Bash(git *)", "echo $HOME", False),
        ("Bash(git *)", "sh -c 'eval $X'", None), ("Bash(* main)", "git push main", True),
        ("Bash(rm *)", "echo 'rm -rf", None), ("Write", "ls", False), ("*", "ls", True), ("B*", "ls", True),
        ("no rule(", "ls", None),
    ],
)  # fmt: skip
def test_a_rule_covers_commands_as_in_claude_code(rule: str, command: str, covers: bool | None) -> None:
    assert Rule.parse(rule).covers(asked(command)) is covers


@pytest.mark.parametrize(
    ("rule", "path", "covers"),
    [
        ("Read(.env)", "a/.env", True), ("Read(./src/**)", "src/a/b.py", True), ("Read(/src/*.py)", "src/b.py", True),
        ("Read(/src/*.py)", "src/a/b.py", False), ("Read(//w/a)", "a", True), ("Read(**/*.key)", "x/y.key", True),
        ("Read(src)", "src/b.py", True), ("Edit(src/**)", "src/b.py", False), ("Read(~/x)", "x", False),
    ],
)  # fmt: skip
def test_a_rule_covers_files_as_in_gitignore(rule: str, path: str, covers: bool) -> None:
    call = Asked(("Read", "read_file"), {}, inarch.Effects(reads=frozenset({path})), "/w")
    assert Rule.parse(rule, "deny").covers(call) is covers


@given(st.text(max_size=40), st.text(max_size=40), st.sampled_from(["deny", "ask", "allow"]))
def test_a_decision_on_any_text_is_one_and_allows_only_what_is_covered(about: str, command: str, decision: str) -> None:
    rule = Rule.parse(f"Bash({about})", decision)
    said = judged([rule], asked(command))[0]
    assert said in ("", "ask", decision)
    assert said != "allow" or rule.covers(asked(command)) is not False
