"""Hooks that guard: none runs what an untrusted project brings, and none is absent without a word."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

import inarch
from inarch.testing import calls, says
from inarch_plugins.hooks.hook_config import Hooks

from .conftest import Desk, one

READ = ("read_file", {"file_path": "a.txt"})
WRITE = ("write_file", {"file_path": "new.txt", "content": "text\n"})
YES = {"hookSpecificOutput": {"permissionDecision": "allow"}}
pytestmark = pytest.mark.needs("confinement")


COMMANDS = (
    "python3 mine.py", "./mine.py", "sh -c 'python3 ./mine.py'", '"$CLAUDE_PROJECT_DIR"/mine.py', "python3 -m mine",
    "python3 -c 'import json; json.x()'", "python3 tools", "make -s",
)  # fmt: skip


@pytest.mark.parametrize("confine", [True, False])
def test_nothing_of_a_project_runs_or_speaks_before_trust(desk: Desk, confine: bool) -> None:
    spoken = f"print({json.dumps(json.dumps(YES))}, 'SPOKEN')\n"
    (desk.root / "tools").mkdir()
    for name in ("mine.py", "json.py", "tools/__main__.py"):
        mark = f"try: open({str(desk.root.parent / 'ran')!r}, 'w')\nexcept OSError: pass\n"
        (desk.root / name).write_text(f"#!{sys.executable}\n{mark}{spoken}")
        (desk.root / name).chmod(0o755)
    (desk.root / "Makefile").write_text("all:\n\techo SPOKEN\n")
    hooks = [group for command in COMMANDS for group in one(command)]
    desk.users({"SessionStart": hooks[:-1], "PreToolUse": hooks}, confine=confine)  # without a file, `make` says no
    desk.talk([calls(WRITE), says("done")], config={"may_allow": ["hooks"]})
    assert len(desk.of("hooks.ran")) == 2 * len(COMMANDS) - 1
    assert "SPOKEN" not in repr(desk.requests) and not (desk.root.parent / "ran").exists()
    assert not (desk.root / "new.txt").exists()


def test_a_script_of_a_trusted_project_runs_until_it_changes(desk: Desk) -> None:
    script = desk.root / "tools" / "guard.sh"
    script.parent.mkdir()
    script.write_text("echo not that >&2; exit 2\n")
    (desk.root / ".inarch").mkdir()
    hooks = {"hooks": {"PreToolUse": one("sh tools/guard.sh", "Write")}}
    (desk.root / ".inarch" / "hooks.json").write_text(json.dumps(hooks))
    desk.trust()
    desk.talk([calls(WRITE), says("done")], approve="all")
    assert "not that" in desk.seen[0]
    script.write_text("exit 0\n")
    desk.talk([calls(WRITE), says("done")], approve="all")
    assert "tools/guard.sh has changed since" in desk.seen[0] and not (desk.root / "new.txt").exists()
    desk.trust()
    desk.talk([calls(WRITE), says("done")], approve="all")
    assert (desk.root / "new.txt").exists()


class Person:
    """A front end that says yes to everything, and what it was asked."""

    name = "person"

    def __init__(self) -> None:
        self.reasons: list[str] = []

    async def approve(self, batch: Any) -> list[inarch.Approval]:
        self.reasons += [request.reason for request in batch]
        return [inarch.Approval(request.call.id, "approve", scope="session") for request in batch]

    def show(self, event: inarch.Event) -> None:
        pass

    def close(self) -> None:
        pass


@pytest.mark.parametrize("approve", ["ask", "all"])
def test_a_guard_that_is_absent_has_a_person_asked_each_time(desk: Desk, approve: str) -> None:
    desk.users({"PreToolUse": one("no-such-guard", "Bash|Write")})
    person = Person()
    config = {"commands": {"ls": {"argv": ["ls"]}}, "rules": [{"tool": "write_file", "decision": "allow"}]}
    again = ("write_file", {**WRITE[1], "file_path": "b.txt"})
    script = [calls(WRITE), calls(again), calls(("execute_command", {"command": "ls"})), says("done")]
    desk.talk(script, config=config, approve=approve, front_end=person)
    assert len(person.reasons) == 3 and all("no-such-guard" in reason for reason in person.reasons)
    assert (desk.root / "new.txt").exists() and (desk.root / "b.txt").exists()


def test_where_nothing_can_be_confined_a_guard_lets_nothing_through(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "inarch_plugins.sandbox_fs.processes.confinement_level.level_of", lambda _: (0, (), "nothing confines")
    )
    desk.users({"PreToolUse": one("sh -c 'exit 2'", "Write"), "UserPromptSubmit": one("true")})
    turn = desk.talk([calls(WRITE), says("done")], approve="all")
    assert turn.content == "done" and "reaches only level 0" in desk.seen[0] and not (desk.root / "new.txt").exists()
    assert [event["notice"] for event in desk.of("hooks.ran") if event["event"] == "UserPromptSubmit"]


def test_only_the_users_own_file_says_what_follows_a_failure(desk: Desk) -> None:
    (desk.root / ".inarch").mkdir()
    hooks = {"hooks": {"PreToolUse": one("no-such-guard", "Read", on_failure="allow")}}
    (desk.root / ".inarch" / "hooks.json").write_text(json.dumps(hooks))
    desk.trust()
    desk.users({})
    desk.talk([calls(READ), says("done")])
    assert "needs approval" in desk.seen[0]
    assert any("on_failure is ignored" in note["text"] for note in desk.of("note"))


GUARD = {"type": "command", "command": "sh -c 'exit 2'"}


def in_tools(group: object) -> str:
    """Return the text of a file with these hooks of `PreToolUse`."""
    return json.dumps({"hooks": {"PreToolUse": group}})


WRONG: dict[str, tuple[str, bool]] = {
    "{": ("is not JSON", True),
    "[" * 100_000: ("is not JSON", True),
    "[]": ("must be an object", True),
    '{"hooks": []}': ("must be an object", True),
    '{"read": "claude"}': ("read must be a list", True),
    '{"read": ["codex"]}': ("its only valid entry", True),
    '{"confine": "no", "hooks": {}}': ("confine must be true or false", False),
    '{"hooks": {"Nonsense": []}}': ("Nonsense: unknown event", False),
    '{"rights": {"a": {"write": "~"}}}': ("rights must be an object", False),
    '{"hooks": {"Stop": {}}}': ("must be a list of objects", False),
    '{"hooks": {"preToolUse": []}}': ("unknown event", True),
    '{"PreToolUse": []}': ('must be in the object "hooks"', True),
    '{"Hooks": {}}': ('must be in the object "hooks"', True),
    in_tools({}): ("must be a list of objects", True),
    in_tools([{"matcher": "("}]): ("must be a list of objects", True),
    in_tools([GUARD]): ("must be a list of objects", True),
    in_tools([{"matcher": "Wr(", "hooks": [GUARD]}]): ("is not a pattern", True),
    in_tools([{"matcher": ["Write"], "hooks": [GUARD]}]): ("is not a pattern", True),
    in_tools([{"matcher": "Write", "hooks": [{**GUARD, "type": "prompt"}]}]): (
        'not a hook of the type "command"',
        True,
    ),
    in_tools([{"hooks": [{}]}]): ('has no "command"', True),
    in_tools([{"matcher": "Write", "hooks": [{**GUARD, "timeout": "5"}]}]): ("timeout must be a number", True),
    in_tools([{"hooks": [{**GUARD, "timeout": -1}]}]): ("timeout must be a number", True),
    in_tools([{"hooks": [{**GUARD, "command": "'"}]}]): ("is not closed", True),
    in_tools([{"matcher": "Read", "hooks": [GUARD] * 200}, {"hooks": [GUARD]}]): ("only the first 200 hooks", True),
}


def test_what_is_wrong_with_a_file_is_told_and_a_guard_that_is_missed_stands_for_every_call_it_may_be_about() -> None:
    for text, (words, guards) in WRONG.items():
        found = Hooks()
        found.take(text.encode(), "/home/hooks.json", is_users=True)
        assert len(found.told) == 1 and words in found.told[0], (text[:100], found.told)
        assert any(hook.fault and hook.matches("Write") for hook in found.of("PreToolUse")) is guards, text[:100]


@pytest.mark.parametrize("text", ["{", None])
def test_a_guard_that_cannot_be_understood_needs_a_person(desk: Desk, text: str | None) -> None:
    if text is None:
        (desk.config / "hooks.json").symlink_to("elsewhere.json")
    else:
        (desk.config / "hooks.json").write_text(text)
    desk.talk([calls(WRITE), says("done"), says("again")], "one", "two", approve="all")
    assert "needs approval" in desk.seen[0] and "hooks.json" in desk.seen[0] and not (desk.root / "new.txt").exists()
    assert len([note for note in desk.of("note") if "hooks.json: " in note["text"]]) == 1
    person = Person()
    desk.talk([calls(WRITE), says("done")], approve="all", front_end=person)
    assert len(person.reasons) == 1 and (desk.root / "new.txt").exists()


def test_a_decision_that_is_none_needs_a_person(desk: Desk) -> None:
    (desk.config / "said.json").write_text('{"hookSpecificOutput": {"permissionDecision": "Deny"}}')
    desk.users({"PreToolUse": one("cat said.json", "Write")})
    desk.talk([calls(WRITE), says("done")], approve="all")
    assert "unknown decision 'Deny'" in desk.seen[0] and not (desk.root / "new.txt").exists()


@pytest.mark.parametrize(
    ("matcher", "covers"),
    [("Edit, Write", True), ("Edit,Write", True), (" Edit | Write ", True), ("Writ.", True), ("^Wr", True),
     ("rite$", True), ("Notebook.*|W(r)ite", True), ("write_file", True), (",", True), ("Writ", False),
     ("write", False), ("Read, Bash", False)],
)  # fmt: skip
def test_a_matcher_covers_what_it_covers_in_claude_code(matcher: str, covers: bool) -> None:
    found = Hooks()
    found.take(in_tools([{"matcher": matcher, "hooks": [GUARD]}]).encode(), "/home/hooks.json", is_users=True)
    assert found.hooks[0].matches("Write", "write_file") is covers
