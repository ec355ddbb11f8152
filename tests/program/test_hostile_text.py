"""No character that could mislead a terminal or its reader leaves the program, whoever sends it, on any surface."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import time
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from ..forking import LONGEST_S, start_inarch
from .nasty import SAID

pytestmark = pytest.mark.once

Run = Callable[..., "subprocess.CompletedProcess[str]"]
PLUGIN = ("--plugin", str(Path(__file__).with_name("nasty.py")))
MODEL = (*PLUGIN, "--model", "sour/words")
OURS = re.compile(
    r"\x1b\[(?:0|[12]?;?3[12356]|1|2)m"  # colours
    r"|\r\x1b\[K|\r(?:\x1b\[\d+A)?\x1b\[J"  # the live lines are taken away
    r"|\x1b\[\?2026[hl]"  # what stands between is shown at once
    r"|\r+\n"  # how a terminal ends lines
    r"|\x1b\[\?2004[hl]\r?"  # readline
)
NAME = "\x1b[2J\x1b]0;t\x07\x9b31m\rover\x08\x7f\u202egpj\u2066\u200b\u2028\u3164\U000e0041 \u0335 end\nline"
QUOTED = json.dumps(NAME, ensure_ascii=False).replace("\x7f", "\\u007f")
ASKED = "hello there"


def misleading(text: str) -> list[str]:
    """Return the characters that should have been shown as codes."""
    found = []
    marks = 0
    for char in text:
        category = unicodedata.category(char)
        marks = marks + 1 if category in ("Mn", "Me") else 0
        hidden = category in ("Cc", "Cs", "Zl", "Zp") or (category == "Cf" and char not in "\u200c\u200d")
        if (hidden and char not in "\n\t") or marks > 8 or char in "\u3164\u115f" or char >= "\U000e0000":
            found.append(f"U+{ord(char):04X}")
    return found


def assert_harmless(*texts: str) -> None:
    for text in texts:
        assert misleading(text) == [], text[:4000]


@pytest.fixture
def nasty_project(project: Path) -> Path:
    """The project with nasty names and texts in it, and everything that a project can say."""
    (project / f"{NAME}.py").write_text(f'"""{NAME}"""\n\n\ndef weigh_{1}():\n    """{NAME}"""\n    # {NAME}\n')
    (project / "README.md").write_text(f"# shop {SAID}\n\nSells {SAID}.\n", "utf-8")
    folder = project / ".inarch"
    (folder / NAME).mkdir(parents=True)
    (folder / NAME / NAME).write_text("x")
    (folder / "config.toml").write_text(
        f"[profiles.{QUOTED}]\n{QUOTED} = 1\nmodel = {QUOTED}\n[plugins.{QUOTED}]\n{QUOTED} = {QUOTED}\n[[rules]]\n"
        f"tool = {QUOTED}\ndecision = 'allow'\nreason = {QUOTED}\n[commands.{QUOTED}]\nargv = [{QUOTED}]\n"
    )
    (project / "AGENTS.md").write_text(SAID)
    return project


def user_config(environ: dict[str, str], text: str) -> None:
    path = Path(environ["XDG_CONFIG_HOME"]) / "inarch" / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.mark.parametrize("output", ["text", "json", "jsonl"])
@pytest.mark.parametrize("prompt", ["say it", "refuse it", "explode now", f"say {SAID}".replace("\x00", "")])
def test_a_turn(cli: Run, nasty_project: Path, output: str, prompt: str) -> None:
    done = cli(prompt, *MODEL, "--output", output, "--approve", "all")
    assert_harmless(done.stdout, done.stderr)
    if output == "text" and "say" in prompt:
        assert "ANSWER \\x1b[2J\\x1b[31mred" in done.stdout
    elif output != "text":
        records = [json.loads(line) for line in done.stdout.splitlines()]
        assert "say" not in prompt or "\u202egpj.exe\u2066" in json.dumps(records, ensure_ascii=False)


def test_what_is_kept_is_shown_harmless(cli: Run, nasty_project: Path) -> None:
    cli(f"say {SAID}".replace("\x00", ""), *MODEL, "--approve", "all")
    for words in (("sessions", "list"), ("sessions", "list", "--all", "--json")):
        done = cli(*words)
        assert done.returncode == 0
        assert_harmless(done.stdout, done.stderr)
    (session,) = json.loads(cli("sessions", "list", "--json").stdout)
    for more in ((), ("--json",)):
        done = cli("sessions", "show", session["id"], *more)
        assert "second" in done.stdout
        assert_harmless(done.stdout, done.stderr)


@pytest.mark.parametrize(
    "words",
    [
        ("tools", "list"), ("tools", "list", "--json"),
        ("tools", "show", "described"), ("tools", "show", "described", "--json"),
        ("tools", "call", "loud", '{"text": "x"}'), ("tools", "call", "loud", '{"text": "fail"}'),
        ("tools", "call", "loud", '{"text": "crash"}'), ("tools", "call", "list_files"),
        ("tools", "call", "git_status"), ("tools", "call", "search_files", '{"pattern": "def|Sells"}'),
        ("tools", "call", "read_file", '{"file_path": "README.md"}'),
        ("tools", "call", "execute_command", '{"command": "cat README.md"}'),
        ("plugins", "list"), ("plugins", "list", "--json"), ("plugins", "show", "nasty"),
        ("models", "list"), ("models", "list", "--json"),
        ("models", "check", "sour"), ("models", "check", "sour", "--json"),
    ],
    ids=lambda words: " ".join(words[:4]),
)  # fmt: skip
def test_what_plugins_and_files_say(cli: Run, nasty_project: Path, words: tuple[str, ...]) -> None:
    done = cli(*words, *PLUGIN, "--approve", "all")
    assert done.stdout.strip()
    assert_harmless(done.stdout, done.stderr)


@pytest.mark.parametrize(
    "words",
    [
        ("config", "show"), ("config", "show", "--origin"), ("config", "show", "--json"), ("config", "check"),
        ("config", "check", "--json"), ("config", "schema"), ("config", "trust"), ("config", "trust", "--yes"),
        ("config", "init"), ("doctor",), ("doctor", "--json"), ("policy", "list"), ("policy", "list", "--json"),
        ("policy", "explain", "read_file", json.dumps({"file_path": SAID})), ("context", "get", "weigh", "--code"),
        ("context", "get", "weigh", "--json"), ("--help",), ("summarize this codebase",), ("find Sells",),
    ],
    ids=" ".join,
)  # fmt: skip
def test_what_a_project_says(cli: Run, nasty_project: Path, words: tuple[str, ...]) -> None:
    done = cli(*words)
    assert done.stdout or done.stderr
    assert_harmless(done.stdout, done.stderr)


def test_what_the_users_own_file_says(cli: Run, environ: dict[str, str], project: Path) -> None:
    user_config(
        environ,
        f"[profiles.{QUOTED}]\nplugins = [{QUOTED}]\n[plugins.{QUOTED}]\nx = {QUOTED}\n[[rules]]\ntool = {QUOTED}\n"
        f"decision = 'ask'\nreason = {QUOTED}\n[commands.{QUOTED}]\nargv = [{QUOTED}]\n",
    )
    for words in (("config", "show", "--origin"), ("config", "check"), ("plugins", "list"), ("policy", "list"),
                  ("doctor",), ("tools", "list"), ("ask", "hello")):  # fmt: skip
        for more in ((), ("--profile", NAME)):
            done = cli(*words, *more)
            assert_harmless(done.stdout, done.stderr)
    user_config(environ, f"x = {QUOTED}\n[profiles.default]\nmodel = {QUOTED}\n{QUOTED} = {QUOTED}\n")
    for words in (("config", "show"), ("config", "check"), ("ask", "hello")):
        done = cli(*words)
        assert done.returncode == 2
        assert_harmless(done.stdout, done.stderr)


@pytest.mark.parametrize(
    "words",
    [
        (f"--{NAME}",), ("ask", f"--{NAME}"), ("--root", NAME, ASKED), ("--model", NAME, ASKED),
        ("--profile", NAME, ASKED), ("--output", NAME, ASKED), ("--session", NAME, ASKED), ("--approve", NAME, ASKED),
        ("--max-cost", NAME, ASKED), ("-p", f"no:{NAME}", ASKED), ("--plugin", NAME, ASKED), ("tools", "call", NAME),
        ("tools", "show", NAME), ("tools", "call", "read_file", NAME), ("plugins", "show", NAME),
        ("sessions", "show", NAME), ("sessions", NAME), ("policy", "revoke", NAME), ("policy", "test", NAME),
        ("config", "trust", "--root", NAME), (ASKED, NAME),
    ],
    ids=map(str, range(21)),
)  # fmt: skip
@pytest.mark.parametrize("debug", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_words_that_are_refused(cli: Run, words: tuple[str, ...], debug: bool) -> None:
    done = cli(*words, *(("--debug",) if debug else ()))
    assert done.returncode in (1, 2)
    assert done.stderr or done.stdout
    assert_harmless(done.stdout, done.stderr)


def on_terminal(
    words: Sequence[str], environ: dict[str, str], cwd: Path, typed: Sequence[tuple[str, str]] = ()
) -> tuple[int, str]:
    """Run the program on a terminal; each of `typed` is a text to wait for and what to answer then."""
    terminal, other = pty.openpty()
    child = start_inarch(*words, cwd=cwd, environ=environ, streams=[other] * 3, place="terminal")
    os.close(other)
    seen, waiting, place = b"", list(typed), 0
    end = time.monotonic() + LONGEST_S
    while time.monotonic() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                piece = os.read(terminal, 65536)
            except OSError:  # the other side is closed
                break
            seen += piece
        while waiting and (found := seen.find(waiting[0][0].encode(), place)) >= 0:
            place = found + len(waiting[0][0].encode())
            os.write(terminal, waiting.pop(0)[1].encode())
    os.close(terminal)
    code = child.wait()
    assert not waiting, f"never saw {waiting[0][0]!r} in {seen!r}"
    return code, seen.decode("utf-8")


def test_the_question_on_a_terminal(environ: dict[str, str], nasty_project: Path) -> None:
    typed = (("[d] ", "v\n"), ("[d] ", "?\n"), ("[d] ", "n\n"))
    _, seen = on_terminal(("say it", *MODEL), environ, nasty_project, typed)
    assert_harmless(OURS.sub("\n", seen))
