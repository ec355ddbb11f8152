"""Servers that behave well, late, or badly, through the command line: a turn goes on whatever they do."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from lsp_place import Desk, edit, read, said

pytestmark = pytest.mark.needs("confinement")
BAD = [edit("a.txt", "two", "bad")]
GOOD = [edit("a.txt", "one\nbad", "one\ntwo")]
AGAIN = [edit("a.txt", "three", "more bad")]
LEFT_OUT = "fake-server is disabled for the rest of the session: "


@pytest.fixture(autouse=True)
def file(desk: Desk) -> None:
    """A file that has an error already."""
    desk.write("a.txt", "bad from before\none\ntwo\nthree\n")


@pytest.mark.parametrize("mode", ["well", "push", "versions", "again", "odd"])
def test_only_new_errors_are_said_however_a_server_tells_them(desk: Desk, mode: str) -> None:
    desk.server(mode)
    desk.trust()
    events = desk.talk(
        [read("a.txt")], [edit("a.txt", "bad from", "\nbad from")], BAD, [edit("a.txt", "one\nbad", "one")]
    )
    assert said(events) == ["1 new error in a.txt since this edit, says fake-server:\na.txt:4:1: bad: bad"]


def test_what_comes_late_is_announced_and_told_before_the_next_request(desk: Desk) -> None:
    desk.server("slow")
    desk.settings["wait_s"] = 0.1
    desk.trust()
    events = desk.talk([read("a.txt")], BAD, [("pause", {"seconds": 6.0})])
    assert said(events) == ["fake-server is still checking a.txt; new errors, if any, are reported later"]
    (words,) = [event["data"]["text"] for event in events if event["kind"] == "input.waiting"]
    assert words == "1 new error in a.txt since this edit, says fake-server:\na.txt:3:1: bad: bad"


def test_edits_that_a_slow_server_cannot_follow_are_reported_at_once(desk: Desk) -> None:
    desk.server("slow")
    desk.settings["wait_s"] = 0.1
    desk.trust()
    events = desk.talk([read("a.txt")], BAD, AGAIN, [edit("a.txt", "one", "one bad")], [("pause", {"seconds": 9.0})])
    told = "\n".join(event["data"]["text"] for event in events if event["kind"] == "input.waiting")
    for line in ("a.txt:3:1: bad: bad", "a.txt:4:1: bad: more bad", "a.txt:2:1: bad: one bad"):
        assert told.count(line) == 1
    assert "before" not in told


@pytest.mark.parametrize(
    ("mode", "why"),
    [
        ("crash", "it ended with exit code 3"),
        ("crash later", "it ended with exit code 7"),
        ("garbage", "it wrote a message without its length"),
        ("endless", "it wrote output that is not a protocol message"),
        ("big", "it wrote a message of 100000000 bytes; the limit is 16777216"),
        ("hang", "it did not answer within 2 s"),
    ],
)
def test_a_bad_server_is_left_out_and_that_is_told_once(desk: Desk, mode: str, why: str) -> None:
    desk.server(mode)
    desk.settings["patience_s"] = 2.0
    desk.trust()
    events = desk.talk([read("a.txt")], BAD, GOOD, AGAIN)
    assert said(events) == [LEFT_OUT + why]
    assert (desk.root / "a.txt").read_text() == "bad from before\none\ntwo\nmore bad\n"


def test_without_a_server_or_trust_there_is_no_word(desk: Desk) -> None:
    desk.server("well")
    assert not said(desk.talk([read("a.txt")], BAD))  # the project is not trusted
    desk.trust()
    (desk.tools / "fake-server").unlink()
    assert not said(desk.talk([read("a.txt")], AGAIN))


def test_a_server_of_the_projects_environment_comes_before_the_users(desk: Desk) -> None:
    desk.server("well")
    own = desk.root / ".venv/bin"
    own.mkdir(parents=True)
    (desk.tools / "fake-server").rename(own / "fake-server")
    desk.server("crash")
    desk.settings["servers"]["plain"]["args"] = ["well"]
    (desk.tools / "fake-server").write_text("#!/bin/false\n")
    desk.trust()
    assert said(desk.talk([read("a.txt")], BAD)) == [
        "1 new error in a.txt since this edit, says fake-server:\na.txt:3:1: bad: bad"
    ]


def test_a_relative_server_lies_beside_the_users_configuration(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.server("well")
    desk.settings["servers"]["plain"]["command"] = "servers/fake-server"
    for folder in (desk.config, desk.root):
        (folder / "servers").mkdir()
    monkeypatch.chdir(desk.root)
    theirs = desk.root / "servers/fake-server"
    theirs.write_text(f"#!/bin/sh\ntouch {desk.root}/ran\n")
    theirs.chmod(0o755)
    desk.trust()
    assert not said(desk.talk([read("a.txt")], BAD)) and not (desk.root / "ran").exists()
    (desk.tools / "fake-server").rename(desk.config / "servers/fake-server")
    assert said(desk.talk([read("a.txt")], AGAIN)) == [
        "1 new error in a.txt since this edit, says fake-server:\na.txt:4:1: bad: more bad"
    ]


def test_what_is_gone_too_big_or_no_text_is_passed_over(desk: Desk) -> None:
    desk.server("well")
    (desk.root / "b.txt").write_bytes(b"\xff bad\n")
    desk.trust()
    events = desk.talk(
        [read("a.txt")],
        [("write_file", {"file_path": "big.txt", "content": "bad\n" * 600_000})],
        [("delete_file", {"file_path": "a.txt"})],
        [("write_file", {"file_path": "new.txt", "content": "fine\nbad\n"})],
    )
    assert said(events) == ["1 new error in new.txt since this edit, says fake-server:\nnew.txt:2:1: bad: bad"]


def test_a_server_reads_the_project_and_reaches_nothing_else(desk: Desk) -> None:
    secret = desk.home / "secret"
    secret.write_text("mine")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        desk.server("reaching", str(secret), str(listening.getsockname()[1]))
        desk.write("look.txt", "two\n")
        desk.trust()
        events = desk.talk([read("look.txt")], [edit("look.txt", "two", "look")])
    assert [text.rpartition(": ")[2] for text in said(events)] == ["reached the project"]
    assert not (desk.root / "made.txt").exists()
    assert not running("987") and not running("fake-server")


def running(word: str) -> list[str]:
    """Return the processes of this test's that have a word in their command line."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = place.read_bytes().split(b"\0")
        except OSError:
            continue
        if any(one.endswith(word.encode()) for one in words[:3]):
            found.append(place.parent.name)
    return found


def test_a_server_ends_with_a_session_that_is_killed(desk: Desk) -> None:
    desk.server("well")
    desk.trust()
    command = desk.playing([[read("a.txt")], BAD, [("pause", {"seconds": 60.0})]])
    process = subprocess.Popen(command, cwd=desk.root, env=desk.environ, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if json.loads(line)["kind"] == "call.reviewed":
                break
        program = str(desk.tools / "fake-server")
        assert running(program)
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
    end = time.monotonic() + 20
    while running(program) and time.monotonic() < end:
        time.sleep(0.05)
    assert not running(program)


def test_a_replay_says_the_same_and_starts_nothing(desk: Desk) -> None:
    desk.server("well")
    desk.trust()
    events = desk.talk([read("a.txt")], BAD)
    (desk.tools / "fake-server").unlink()
    code = (
        "import sys\nfrom inarch.__main__ import main\n"
        "try:\n    main()\nfinally:\n    print('started:', 'inarch_lsp.connection' in sys.modules, file=sys.stderr)\n"
    )
    session = events[0]["session_id"]
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, "--plugin", str(desk.home / "played.py"), "replay", session],
        cwd=desk.root, env=desk.environ, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "started: False" in done.stderr


def test_a_project_names_no_server(desk: Desk) -> None:
    desk.server("well")
    desk.playing([])
    (desk.root / ".inarch").mkdir()
    (desk.root / ".inarch/config.toml").write_text(
        '[plugins.lsp.servers.own]\ncommand = "./evil"\nlanguages = { ".txt" = "text" }\n'
    )
    desk.trust()
    shown = desk.run("doctor").stdout
    assert "evil" not in shown and "plain: " in shown
