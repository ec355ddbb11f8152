"""The commands of a person's day, run with the programs that are here: what is asked, and what each answer does."""

from __future__ import annotations

import os
import shutil
import tomllib
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from attrs import Factory, frozen

import inarch
from inarch_sdk.result_text import HELD_REMEDY

from .persons import ALWAYS, FOR_THE_PROJECT, NO, TOKEN, YES, House, Person, rights

pytestmark = [pytest.mark.needs("git"), pytest.mark.once]
MODES = ("ask", "edits", "none")
"""Modes that no command of no tier runs in without a person."""


@frozen
class Line:
    """A command line: the rights with which it does what it is for, and what its output then has in it."""

    command: str
    rights: dict[str, tuple[str, ...]] = Factory(dict)
    has: str = ""
    code: int | None = 0
    leaves: str = ""


GIT, WEB, MAIL = {"git": ()}, {"network": ()}, {"files": (".gitconfig",)}
LINES = (
    Line("mkdir build", leaves="build"),
    Line("git checkout -b feature", GIT, "Switched to a new branch"),
    Line("git push origin main", GIT, "main -> main"),
    Line("python3 -c 'print(6 * 7)'", has="42\n"),
    Line("sleep 0"),
    Line("npm config list", {"files": (".npmrc",)}, "_authToken = (protected)"),
    Line("git commit --allow-empty --message second", GIT | MAIL, "second"),
    Line("touch new.txt", leaves="new.txt"),
    Line("sort -o sorted.txt a.txt", leaves="sorted.txt"),
    Line("curl --silent http://127.0.0.1:9/", WEB, code=7),
    Line("FOO=1 python3 main.py", has="hello 1"),
    Line("true && echo yes || echo no; echo end > out.txt", has="yes\n", leaves="out.txt"),
    Line("npm install --offline --no-audit --no-fund", has="up to date"),
    Line("git fetch origin", GIT),
    Line("git clone ./remote copy", leaves="copy/.git"),
    Line("seq 3 | awk '{print $1 + 1}' | sort -r", has="4\n3\n2\n"),
    Line("cd remote && touch b.md && ls", has="b.md\n", leaves="remote/b.md"),
)
DAILY = 6


@pytest.fixture
def house(tmp_path: Path) -> House:
    """A house of its own."""
    return House.make(tmp_path)


def program(line: Line) -> str:
    """Return the name of a line's first program."""
    words = line.command.split()
    return next(word for word in (words[3:] if words[0] == "cd" else words) if "=" not in word)


@pytest.mark.parametrize(
    "line",
    [pytest.param(one, marks=() if number < DAILY else pytest.mark.slow) for number, one in enumerate(LINES)],
    ids=[one.command for one in LINES],
)
def test_each_answer_to_a_command_of_the_day(line: Line, house: House) -> None:
    if shutil.which(program(line)) is None:
        pytest.skip(f"{program(line)} is not installed")
    before = sorted(path.name for path in house.root.iterdir())
    # Nobody there: denied in every mode, with the lines that would allow it.
    for mode in MODES:
        result, _ = house.run(line.command, approve=mode, nobody=True)
        assert result.error is not None and result.error.code == "denied"
        if mode != "none":
            lines = result.error.remedy.partition("configuration:\n")[2].partition(f"\n{HELD_REMEDY}")[0]
            granted = {"commands": tomllib.loads(lines)["commands"]}
    # No, under every mode that asks.
    for mode in MODES[:2]:
        result, person = house.run(line.command, NO, approve=mode)
        assert result.error is not None and result.error.code == "denied" and len(person.seen) == 1
    assert sorted(path.name for path in house.root.iterdir()) == before
    # Yes, with rights that the question then shows, and kept for as long as the answer says.
    chosen = [rights(**line.rights)] if line.rights else []
    results, person = house.run_all([line.command] * 2, [*chosen, ALWAYS])
    asks_again = "files" in line.rights and program(line) in ("npm",)  # the workspace says what that runs
    assert len(person.seen) == 1 + len(chosen) + asks_again
    told = person.seen[len(chosen)].preview
    assert ("network: all" in told, ".git: may be changed" in told, "hidden but for" in told) == tuple(
        name in line.rights for name in ("network", "git", "files")
    )
    data: Any = results[0].data
    assert results[0].success and data["tier"] == "asked", results[0]
    assert line.has in data["output"] and (line.code is None or data["exit_code"] == line.code), data
    assert not line.leaves or (house.root / line.leaves).exists() or (house.root / line.leaves).is_symlink()
    assert TOKEN not in str(data)
    # The line of configuration that the denial named lets it run without a question.
    result, person = house.run(line.command, config=granted)
    assert result.success and result.data["tier"] == "granted" and not person.seen


@pytest.mark.parametrize(
    ("command", "lasts"),
    [
        ("ls | tee new.txt", True),
        ("touch new.txt && ls", True),
        ("ls; sh -c 'touch new.txt'", False),
        ("ls | python3 -c 1", False),
        ("ls && echo $HOME", False),
        ("touch new.txt", True),
        ("sh -c 'touch new.txt'", False),
        ("python3 -c 1", False),
        ("env bash -c true", False),
        ("perl -e 1", False),
    ],
)
def test_for_the_project_are_these_words_but_never_a_shells_or_code(house: House, command: str, lasts: bool) -> None:
    house.run(command, FOR_THE_PROJECT)
    _, person = house.run(command, NO)
    assert len(person.seen) == (0 if lasts else 1)
    _, person = house.run(f"{command} ", NO)
    assert len(person.seen) == (0 if lasts else 1)
    _, person = house.run(f"{command} more", NO)
    assert len(person.seen) == 1


def test_what_is_kept_is_kept_with_its_rights_and_with_no_others(house: House) -> None:
    reading = "git config --get user.name"
    result, person = house.run(reading, rights(files=("~/.gitconfig",)), FOR_THE_PROJECT)
    assert result.data["output"] == "Ann\n" and str(house.home / ".gitconfig") in person.seen[-1].shape
    result, person = house.run(reading, NO)
    assert result.data["output"] == "Ann\n" and not person.seen
    # A link in its place is another file: asked again, and shown without the right.
    (house.home / ".gitconfig").rename(house.home / "other")
    (house.home / ".gitconfig").symlink_to("other")
    _, person = house.run(reading, NO)
    assert len(person.seen) == 1 and "home folder: hidden" in person.seen[0].preview


@pytest.mark.parametrize(
    ("named", "told"),
    [
        ("~", "not a file of your home folder"),
        ("/etc/passwd", "not a file of your home folder"),
        ("../outside", "not a file of your home folder"),
        ("project/a.txt", "outside the workspace"),
        (".config", "not a regular file"),
        ("nothing", "no such file"),
        (".npmrc\n", "not a file that can be named"),
        (".npm\u202erc", "not a file that can be named"),
        ("\x1b[2J", "not a file that can be named"),
        ("outward", "not a file of your home folder"),
        ("pipe", "not a regular file"),
        ("linked -> /etc/passwd", "leads elsewhere"),
    ],
)
def test_what_can_not_be_given_is_told_and_gives_nothing(house: House, named: str, told: str) -> None:
    (house.home / ".config").mkdir()
    (house.home / "outward").symlink_to("/etc/passwd")
    (house.home / "linked").symlink_to(".npmrc")
    os.mkfifo(house.home / "pipe")
    _, person = house.run("true --it", rights(files=(named,)), NO)
    assert told in person.seen[1].reason and "home folder: hidden" in person.seen[1].preview
    assert person.seen[1].rights is not None and not person.seen[1].rights.chosen


def test_one_right_gives_nothing_of_the_others(house: House) -> None:
    look = (
        "import os, socket\n"
        "def can(act):\n"
        "    try: act(); return True\n"
        "    except OSError: return False\n"
        "def dial(): socket.create_connection(('127.0.0.1', PORT)).close()\n"
        "print(can(dial), can(lambda: open('.git/new', 'w')), can(lambda: open(os.path.expanduser('~/.npmrc'))),\n"
        "      can(lambda: open(os.path.expanduser('~/.gitconfig'))), can(lambda: open('.git/config', 'a')),\n"
        "      can(lambda: open('.git/hooks/x', 'w')), can(lambda: os.rename('.git', 'moved')))\n"
    )
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        (house.root / "look.py").write_text(look.replace("PORT", str(server.getsockname()[1])))
        for chosen, expected in (
            ({}, "False False False False False False False"),
            ({"network": ()}, "True False False False False False False"),
            ({"git": ()}, "False True False False False False False"),
            ({"files": (".npmrc",)}, "False False True False False False False"),
        ):
            result, _ = house.run("env python3 look.py", rights(**chosen), YES)
            assert result.data["output"] == f"{expected}\n", chosen


def test_a_rule_that_names_the_program_lets_it_run_and_a_wider_one_does_not(house: House) -> None:
    def rule(**match: Any) -> dict[str, Any]:
        return {"rules": [{"tool": "execute_command", "decision": "allow"} | ({"match": match} if match else {})]}

    for config, asked in (
        (rule(), 1),
        (rule(command="*"), 1),
        (rule(command="tou* *"), 1),
        (rule(command="touch *"), 0),
        (rule(command="touch new.txt"), 0),
    ):
        _, person = house.run("touch new.txt", NO, config=config)
        assert len(person.seen) == asked, config


def typed(house: House, *commands: str, config: Any = None, approve: str = "ask", is_typed: bool = True) -> list[Any]:
    """Type commands at a prompt, one after the other; return what each came to."""
    import asyncio

    from inarch_plugins.terminal.user_commands import run_command

    async def go() -> list[Any]:
        app = inarch.compose(root=house.root, config=config or {}, flags={"approve": approve}, journal=False,
                             environ=house.environ)  # fmt: skip
        try:
            session, found = app.session(None), []
            session.state.scheduler.front_end = Person()
            events: list[Any] = []
            session.state.journal.listeners.append(events.append)
            for command in commands:
                await run_command(session, command, lambda text: None, is_typed=is_typed)
                found.append(next(event.data["result"] for event in events if event.kind == "call.result"))
                events.clear()
            return found
        finally:
            await app.aclose()

    with mock.patch.dict(os.environ, {"HOME": str(house.home)}):
        return asyncio.run(go())


DIAL = (
    "import os, socket\n"
    "socket.create_connection(('127.0.0.1', PORT)).close()\n"
    "open('.git/made', 'w').close()\n"
    "print(os.path.exists(os.path.expanduser('~/.npmrc')))\n"
)


def test_what_a_person_types_has_the_network_and_git_and_nothing_of_the_home(house: House) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        (house.root / "dial.py").write_text(DIAL.replace("PORT", str(server.getsockname()[1])))
        for command in ("python3 dial.py", "env python3 dial.py"):  # of the workspace tier, and of none
            (result,) = typed(house, command)
            assert (result["data"]["exit_code"], result["data"]["output"]) == (0, "False\n"), result
            (result,) = typed(house, command, is_typed=False)
            ran = result["data"] or {"exit_code": "denied"}
            assert ran["exit_code"] != 0, "from a pipe it is no more than it was"
        house.run("git config --get user.name", rights(files=(".gitconfig",)), FOR_THE_PROJECT)
        (result,) = typed(house, "git config --get user.name")
        assert result["data"]["output"] == "Ann\n", "they let these words read it before"


def test_a_rule_that_denies_and_the_mode_none_hold_for_what_is_typed(house: House) -> None:
    rule = {"rules": [{"tool": "execute_command", "decision": "deny", "match": {"command": "touch *"}}]}
    (result,) = typed(house, "touch x", config=rule)
    assert result["error"]["code"] == "denied"
    (result,) = typed(house, "touch x", approve="none")
    assert result["error"]["code"] == "denied"
    assert not (house.root / "x").exists()


EXPLAINED = (
    "ls", "cat a.txt", "cat .env", "cat /etc/passwd", "cat ../x", "git status", "python3 main.py", "make", "npm test",
    "touch x", "git push", "sort -o b a.txt", "sh -c true", "true | true", "FOO=1 ls", "LD_PRELOAD=x ls", "ls \u202e",
    "no-such-program", "sudo ls", "true --kept", "ls | wc -l", "ls && touch x", "touch x && touch y", "cd docs && ls",
    "ls; cat ../x", "python3 main.py | head", "make 2>&1 | tail", "cat .env | cut -c1", "ls | no-such-program", "ls &",
    "true | true > x", "ls >/dev/null",
)  # fmt: skip
"""Of every tier, and one that is kept for the project."""
RULES: tuple[Any, ...] = (
    {},
    {"rules": [{"tool": "execute_command", "decision": "allow", "match": {"command": "touch *"}}]},
    {"rules": [{"tool": "*", "decision": "ask"}]},
    {"rules": [{"tool": "execute_command", "decision": "deny", "match": {"command": "*s*"}}]},
    {"commands": {"t": {"argv": ["touch", "x"]}, "s": {"argv": ["sh", "-c", "true | true > x"]}}},
    {"rules": [{"tool": "execute_command", "decision": "deny", "path": "docs/**"}]},
)


@pytest.mark.parametrize(("rules", "mode"), list(enumerate(["edits", "none", "all", "all", "ask", "edits"])))
def test_what_is_explained_is_what_happens(house: House, rules: int, mode: str) -> None:
    from inarch.calls.explanation import explain
    from inarch.calls.policy import promises_kept

    config = RULES[rules]
    (house.root / ".env").write_text("A=1\n")
    house.run("true --kept", FOR_THE_PROJECT)
    app = inarch.compose(root=house.root, config=config, flags={"approve": mode}, journal=False,
                         environ=house.environ)  # fmt: skip
    with app, mock.patch.dict(os.environ, {"HOME": str(house.home)}):
        told = {
            command: explain(
                "execute_command", {"command": command}, tools=app.composition.tools, policies=app.policies,
                mode=mode, root=app.config.root, grants=app.parts.tools.project_grants,
                kept=lambda: promises_kept(app.workspace, has_undo=True),
            ).decision
            for command in EXPLAINED
        }  # fmt: skip
    asked = [command for command in EXPLAINED if told[command] == "ask"]
    others = [command for command in EXPLAINED if command not in asked]
    results, person = house.run_all(others, [], approve=mode, config=config)
    assert not person.seen
    for command, result in zip(others, results, strict=True):
        was_denied = result.error is not None and result.error.code == "denied"
        assert was_denied == (told[command] == "deny"), (mode, command, result.error)
    results, person = house.run_all(asked, [], approve=mode, config=config)
    there = [command for command in asked if "no-such" not in command and "sudo" not in command]
    assert len(person.seen) >= len(there) and all(one.error and one.error.code == "denied" for one in results)


SETTINGS = (
    "filter.x.clean", "alias.zz", "core.fsmonitor", "core.hooksPath", "core.sshCommand", "core.editor", "core.pager",
    "gpg.program", "diff.external", "merge.x.driver", "credential.helper", "core.askPass", "remote.origin.receivepack",
    "remote.origin.uploadpack", "core.gitProxy",
)  # fmt: skip


def test_git_takes_no_orders_from_the_repository(house: House) -> None:
    evil = house.root / "evil.sh"
    evil.write_text("#!/bin/sh\ntouch pwned\n")
    evil.chmod(0o755)
    (house.root / ".gitattributes").write_text("* filter=x merge=x diff=x\n")
    for name in ("pre-push", "post-checkout", "pre-commit", "reference-transaction", "post-index-change"):
        (house.root / ".git" / "hooks").mkdir(exist_ok=True)
        (house.root / ".git" / "hooks" / name).symlink_to(evil)
    chosen = rights(git=(), network=(), files=(".gitconfig",))
    commands = ["git checkout -b f1", "git add --all", "git zz", "git commit -m x", "git push origin f1", "git fetch"]
    for key in (SETTINGS[:-3], SETTINGS[-1]):
        for name in (key,) if isinstance(key, str) else key or ():
            house.git("config", name, "!./evil.sh" if name.startswith(("alias", "cred")) else "./evil.sh")
        house.run_all(commands, [chosen, YES] * len(commands))
        assert not (house.root / "pwned").exists(), key
        for name in (key,) if isinstance(key, str) else ():
            house.git("config", "--unset", name)
        house.run_all(["git push origin f1", "git fetch"], [rights(git=()), YES] * 2)
        assert not (house.root / "pwned").exists(), key
    assert house.git("branch", "--list", "f1")


ATTACK = (
    "[core]\n\trepositoryformatversion = 0\n\tbare = true\n\tsshCommand = touch pwned; false\n\thooksPath = hooks\n"
)
ATTACK += '[remote "origin"]\n\turl = ssh://host.invalid/x\n[alias]\n\tzz = !touch pwned\n'


def plant(folder: Path) -> None:
    """Write what git takes for a bare repository, with names that any call may write."""
    for name in ("objects", "refs"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / "config").write_text(ATTACK)


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("git -C docs zz", "-C: with more rights"),
        ("git --git-dir=docs fetch", "--git-dir=docs: with more rights"),
        ("git -c core.sshCommand=./x fetch", "-c: with more rights"),
        ("git --config-env=core.sshCommand=HOME fetch", "--config-env"),
        ("nice git -C docs zz", "-C: with more rights"),
        ("env GIT_DIR=docs git zz", "GIT_DIR"),
        ("cd docs && git zz", "cd docs: with more rights"),
        ("cd docs; git fetch | cat", "cd: with more rights"),
    ],
)
def test_git_takes_no_orders_from_a_repository_in_a_folder(house: House, command: str, told: str) -> None:
    plant(house.root / "docs")
    result, _ = house.run(command, rights(network=()), YES)
    said = result.error.message if result.error is not None else result.data["output"]
    assert told in said, said
    assert not (house.root / "pwned").exists() and not (house.root / "docs" / "pwned").exists()


@pytest.mark.parametrize("kind", ["file", "link"])
@pytest.mark.parametrize("command", ["git zz", "env A=1 git zz", "env python3 run.py"])
def test_git_takes_no_orders_where_dot_git_leads_to_a_folder(house: House, command: str, kind: str) -> None:
    (house.root / ".git").rename(house.root / "away")
    plant(house.root / "docs")
    if kind == "file":
        (house.root / ".git").write_text("gitdir: docs\n")
    else:
        (house.root / ".git").symlink_to("docs")
    (house.root / "run.py").write_text("import subprocess\nsubprocess.run(['git', 'zz'])\n")
    result, _ = house.run(command, rights(network=()), YES)
    assert not (house.root / "pwned").exists()
    if "python3" in command:
        assert "git in it finds no repository" in result.data["note"] and result.data["exit_code"] == 0
    else:
        assert result.error is not None and "outside the workspace" in result.error.message


def test_a_program_runs_where_the_repositorys_settings_can_not_be_overruled(house: House) -> None:
    house.git("config", "url.https://host.invalid/.insteadOf", "x:")
    (house.root / "run.py").write_text("import subprocess\nsubprocess.run(['git', 'status'])\nprint('ran')\n")
    (result,) = typed(house, "python3 run.py")
    assert "ran" in result["data"]["output"] and "not a git repository" in result["data"]["output"]
    assert "url.https://host.invalid/" in result["data"]["note"]
    result, _ = house.run("git fetch", rights(network=()), YES)
    assert result.error is not None and "can't be overridden" in result.error.message


def test_a_push_with_more_rights_starts_no_hook_of_a_repository_at_a_path(house: House) -> None:
    hook = house.root / "remote" / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ntouch ../pwned\n")
    hook.chmod(0o755)
    for chosen in ({"network": ()}, {"files": (".npmrc",)}):
        result, _ = house.run("git push origin main", rights(git=(), **chosen), YES)
        assert result.data["exit_code"] != 0 and "not allowed" in result.data["output"]
        assert not (house.root / "pwned").exists()


@pytest.mark.parametrize("program", ["env python3 leave.py"])
def test_a_program_leaves_nothing_unfinished_for_git(house: House, program: str) -> None:
    names = ("rebase-merge", "rebase-apply", "sequencer", "remotes", "branches")
    (house.root / "leave.py").write_text(
        f"import os\nfor name in {names}:\n"
        "    try:\n        os.makedirs(f'.git/{name}', exist_ok=True)\n"
        "        open(f'.git/{name}/git-rebase-todo', 'w').write('exec touch pwned')\n"
        "    except OSError:\n        pass\n"
    )
    (house.root / ".git" / "rebase-apply").mkdir()
    house.run(program, rights(git=()), YES)
    assert [name for name in names if (house.root / ".git" / name / "git-rebase-todo").exists()] == []


REVIEWABLE = (
    "npm ci", "npm install left-pad", "pip install -r requirements.txt", "python3 -m pip install x", "cargo fetch",
    "go mod tidy", "git add -f a.txt", "git commit --amend -m x", "git fetch origin", "uv sync && pytest",
)  # fmt: skip
PERSONS_ALONE = (
    "npm publish", "npm run x && npm publish", "npx cowsay", "npm exec x install", "yarn dlx x add",
    "pip config set a b", "cargo install x && curl https://example.org", "git push", "git remote add x y",
    "git -C .. add a.txt", "pip install -r .env", "git add id_rsa", "sh -c 'npm ci'; cat *.txt", "sudo npm ci",
    "docker build .", "gh pr create", "ssh host", "wget https://example.org", "GIT_DIR=x git add a.txt",
)  # fmt: skip


@pytest.mark.parametrize("command", [*REVIEWABLE, *PERSONS_ALONE])
def test_approvers_may_answer_for_packages_and_local_git_alone(tmp_path: Path, command: str) -> None:
    from inarch_plugins.sandbox_fs.commands.tool import SandboxPolicy

    call = inarch.ToolCall("c", "", "t", "execute_command", {"command": command})
    verdict = SandboxPolicy(str(tmp_path), {}).judge(call, None)  # type: ignore[arg-type]
    assert bool(verdict.reviewable) == (command in REVIEWABLE), verdict
    assert not (verdict.held and verdict.reviewable)
