"""Rights of hooks: what the sandbox withheld is told apart from a denial, asked for once, and then given."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inarch.testing import calls, says
from inarch_plugins.hooks.hook_rights import HookRights, withheld

from .conftest import Desk, one
from .test_guards import Person

READ = ("read_file", {"file_path": "a.txt"})
WRITE = ("write_file", {"file_path": "new.txt", "content": "text\n"})


def project(desk: Desk, hooks: dict[str, Any], name: str = "settings.json", **more: Any) -> None:
    """Write the hooks of a trusted project in Claude Code's settings, which the user lets Inarch read."""
    (desk.root / ".claude").mkdir(exist_ok=True)
    (desk.root / ".claude" / name).write_text(json.dumps({"hooks": hooks, **more}))
    if not (desk.config / "hooks.json").exists():
        desk.users({}, read=["claude"])
    desk.trust()


@pytest.mark.needs("confinement")
def test_a_right_that_a_hook_lacked_is_asked_for_once_and_then_holds(desk: Desk) -> None:
    home = desk.root.parent
    (home / ".claude").mkdir()
    log = "jq -r .tool_input.file_path >> ~/.claude/log.txt"
    project(desk, {"PreToolUse": one(log, "Read"), "UserPromptSubmit": one("cat >> ~/.claude/prompts.txt")})
    desk.talk([calls(READ), says("done")], approve="all")
    assert "the sandbox denied it" in desk.seen[0] and 'write = ["~/.claude/log.txt"]' in desk.seen[0]
    assert not list((home / ".claude").iterdir())
    person = Person()
    desk.talk([calls(READ), says("done"), says("again")], "one", "two", approve="all", front_end=person)
    assert len(person.reasons) == 2 and ".claude/settings.json failed because" in person.reasons[1]
    assert (home / ".claude/prompts.txt").read_text().count("hook_event_name") == 1  # of the second prompt
    desk.talk([calls(READ), says("done")], approve="all")
    assert (home / ".claude/log.txt").read_text() == f"{desk.root}/a.txt\n" and "one" in desk.seen[0]
    project(desk, {"PreToolUse": one(f"true; {log}", "Read")})  # another command has no rights
    desk.talk([calls(READ), says("done")], approve="all")
    assert "the sandbox denied it" in desk.seen[0]


def test_what_a_project_allows_counts_once_the_user_agreed_to_the_list(desk: Desk) -> None:
    allow = ["Bash(touch:*)", "Bash(mkdir *)", "Write(new.txt)", "Nonsense(*"]
    project(desk, {}, permissions={"allow": allow, "deny": ["Bash(touch -r *)"]})
    made = [desk.root / name for name in ("new.txt", "d/x")]

    def use(line: str = "mkdir d && touch d/x") -> list[Any]:
        return [calls(WRITE, ("execute_command", {"command": line})), says("done")]

    desk.talk(use())
    assert not any(path.exists() for path in made)
    person = Person()
    desk.talk([*use(), says("again")], "one", "two", front_end=person)
    assert all(path.exists() for path in made) and "lists calls that need no question" in person.reasons[-1]
    made[0].unlink()
    desk.talk(use("touch y"))
    assert made[0].exists() and (desk.root / "y").exists()
    for line, why in (("touch -r y z", "permissions.deny"), ("touch z && rm y", "rm is in no tier")):
        desk.talk(use(line))
        assert why in desk.seen[1] and (desk.root / "y").exists() and not (desk.root / "z").exists()
    project(desk, {}, permissions={"allow": [*allow, "Bash(make)"]})  # another list is another question
    made[0].unlink()
    desk.talk(use("touch z"))
    assert not made[0].exists() and not (desk.root / "z").exists()


@pytest.mark.needs("confinement")
def test_the_users_file_gives_rights_by_command(desk: Desk) -> None:
    desk.users({}, read=["claude"], rights={"cat >> *": {"write": ["~/.claude", "."]}})
    project(desk, {"UserPromptSubmit": one("cat >> ~/.claude/x; echo b > b.txt")})
    desk.talk([says("done")])
    assert "prompt" in (desk.root.parent / ".claude/x").read_text() and (desk.root / "b.txt").exists()


@pytest.mark.parametrize(
    ("code", "errors", "lacks"),
    [
        (2, "sh: 1: cannot create /home/u/.claude/log.txt: Directory nonexistent", HookRights(("~/.claude/log.txt",))),
        (1, "bash: line 1: /home/u/.claude/logs/x: No such file or directory", HookRights(("~/.claude/logs",))),
        (1, "PermissionError: [Errno 13] Permission denied: '/w/x'", HookRights((".",))),
        (1, "touch: cannot touch 'x': Read-only file system", HookRights((".",))),
        (1, "/usr/bin/touch: cannot touch 'x': Read-only file system", HookRights((".",))),
        (1, "touch: cannot touch '/usr/x': Read-only file system", HookRights()),
        (2, "error: dns error: failed to lookup address information", HookRights(network=True)),
        (1, "cat: /w/missing: No such file or directory", None),
        (1, "grep: /usr/none: No such file or directory", None),
        (1, "sh: 1: cannot create /home/u/.ssh/config: Directory nonexistent", HookRights()),
        (1, "cp: /home/u/.claude/settings.json: Read-only file system", HookRights()),
        (2, "Permission denied by our rules: ask an owner", None),
        (2, "policy: this prompt: permission denied", None),
        (2, "policy: /etc/passwd: permission denied", None),
        (2, "jq: error: Could not open /home/u/.claude/x.json: No such file or directory",
         HookRights(("~/.claude/x.json",))),
        (2, "read-only file system code may not be changed, see /home/u/x", None),
        (0, "cat: /home/u/.claude/x: Read-only file system", None),
    ],
)  # fmt: skip
def test_what_was_withheld_is_told_apart_from_a_hooks_own_words(code: int, errors: str, lacks: Any) -> None:
    assert withheld(code, errors, "/w", "/home/u") == lacks


@pytest.mark.needs("confinement")
def test_the_users_own_settings_run_the_files_that_they_name_in_home(desk: Desk) -> None:
    scripts = desk.root.parent / ".claude/hooks"
    scripts.mkdir(parents=True)
    (scripts / "x.sh").write_text("echo from home\n")
    hooks = {"hooks": {"UserPromptSubmit": one("sh ~/.claude/hooks/x.sh")}}
    (desk.root.parent / ".claude/settings.json").write_text(json.dumps(hooks))
    desk.users({}, read=["claude"])
    desk.talk([says("done")])
    assert [event["output"] for event in desk.of("hooks.ran")] == ["from home"]


@pytest.mark.needs("confinement")
def test_no_mode_and_no_call_of_a_model_gives_rights(desk: Desk) -> None:
    project(desk, {"UserPromptSubmit": one("cat >> ~/.claude/log.txt")})
    call = ("allow_hooks", {"file": ".claude/settings.json"})
    for approve in ("all", "bypass"):
        desk.talk([calls(call), says("done"), says("again")], "one", "two", approve=approve)
        assert desk.of("hooks.ran")[-1]["fault"]
        assert not list(Path(desk.environ["XDG_STATE_HOME"]).rglob("rights.json"))
