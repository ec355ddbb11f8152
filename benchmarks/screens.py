"""Counts lines on the screen and key presses of the first ten minutes, beside codex and gemini-cli.

`python benchmarks/screens.py [--inarch PATH] [--codex PATH] [--gemini PATH] [--pictures FOLDER]`: each program runs in
tmux, 80 columns by 40 lines, in a project with an empty home, against a scripted server on loopback. A program without
a path is left out. `--pictures` keeps each screen as SVG.

| task | counted |
|---|---|
| first screen | lines that are not blank |
| a new file of 31 lines | lines below the prompt beside the file's, lines of the file, presses |
| `pytest -q` | lines below the prompt, presses until it runs |
| a denial with a reason | presses without those of the reason |
| going on with the session | characters typed after the program's name, and whether the earlier words are shown |
"""

from __future__ import annotations

import argparse
import json
import os
import re
import runpy
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from attrs import frozen

from inarch.testing import HttpReply, HttpRequest, HttpServer, json_reply, sse_reply

LONGEST_S = 40.0
COLUMNS, LINES = 80, 40
PROMPT, REASON, ENDED = "please do that", "use unittest", "That was all of it."
FILE = "".join(f"def add_{n}(x):\n    return x + {n}\n\n" for n in range(10)) + "DONE = 1\n"
PATCH = "*** Begin Patch\n*** Add File: notes.py\n{}*** End Patch"
PROJECT = {
    "README.md": "# Shop\n\nA shop sells apples.\n",
    "basket.py": "def price(apples):\n    return apples * 150\n",
    "test_basket.py": "from basket import price\n\n\ndef test_price():\n    assert price(1) == 150\n",
}
_OF_FILE = re.compile(r"def add_|return x|DONE|^[│ ]*\d* *\+?[ │]*$")
_DRAWING = runpy.run_path(str(Path(__file__).parents[1] / "docs/pictures/make.py"))
Call = tuple[str, dict[str, Any]]


def chat(call: Call | None) -> HttpReply:
    """Return a reply of the chat completions API: a call or the last words."""
    delta: dict[str, Any] = {"role": "assistant", "content": None if call else ENDED}
    if call:
        function = {"name": call[0], "arguments": json.dumps(call[1])}
        delta["tool_calls"] = [{"index": 0, "id": "call_1", "type": "function", "function": function}]
    end = {"index": 0, "delta": {}, "finish_reason": "tool_calls" if call else "stop"}
    usage = {"prompt_tokens": 1000, "completion_tokens": 50, "total_tokens": 1050}
    lead: dict[str, Any] = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    first = {**lead, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    return sse_reply([first, {**lead, "choices": [end], "usage": usage}])


def responses(call: Call | None) -> HttpReply:
    """Return a reply of the responses API."""
    if call:
        item: dict[str, Any] = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": call[0]}
        item["arguments"] = json.dumps(call[1])
    else:
        words = {"type": "output_text", "text": ENDED, "annotations": []}
        item = {"type": "message", "id": "msg_1", "role": "assistant", "content": [words]}
    item["status"] = "completed"
    whole = {"id": "resp_1", "object": "response", "created_at": 1, "status": "completed", "output": [item]}
    whole["usage"] = {"input_tokens": 1000, "output_tokens": 50, "total_tokens": 1050}
    kinds = ("response.output_item.added", "response.output_item.done")
    events = [{"type": kind, "output_index": 0, "item": item} for kind in kinds]
    return sse_reply([{"type": "response.created", "response": {**whole, "output": []}}, *events,
                      {"type": "response.completed", "response": whole}], done=False)  # fmt: skip


def generate(call: Call | None) -> HttpReply:
    """Return a reply of generateContent."""
    part = {"functionCall": {"id": "call_1", "name": call[0], "args": call[1]}} if call else {"text": ENDED}
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 1000, "candidatesTokenCount": 50, "totalTokenCount": 1050}
    return sse_reply([{"candidates": [candidate], "usageMetadata": usage, "modelVersion": "m"}], done=False)


@frozen
class Program:
    """One program, and how its scripted calls, keys and settings are.

    Args:
        name: Its name.
        path: The executable.
        reply: Makes a reply of its wire, from a call or None.
        file, command: The calls that write the file and run the tests.
        ready: Words on the screen if it takes a prompt.
        asks: Words of any question.
        yes: The keys of a yes.
        no: The keys before and after the reason of a denial.
        resume: Words after the name that go on with the last session.
        settings: Files of the home, with the server's address and the project's folder left open.
        environment: Variables, with the same.
    """

    name: str
    path: str
    reply: Callable[[Call | None], HttpReply]
    file: Call
    command: Call
    ready: str
    asks: str
    yes: tuple[str, ...]
    no: tuple[tuple[str, ...], tuple[str, ...]]
    resume: str
    settings: dict[str, str]
    environment: dict[str, str]


def programs(chosen: argparse.Namespace) -> Iterator[Program]:
    """Yield the programs that have a path. Keys and settings as of 2026-11: codex 0.171, gemini-cli 0.61."""
    yield Program(
        "inarch", chosen.inarch, chat,
        ("create_file", {"file_path": "notes.py", "content": FILE}), ("execute_command", {"command": "pytest -q"}),
        "? for help", "? more", ("a",), (("d",), ("Enter",)), "-c",
        {".config/inarch/config.toml": '[profiles.default]\nmodel = "openai-compatible/m"\nplugins = ["...", '
         '"openai-compatible"]\n[plugins.openai-compatible]\nbase_url = "@URL@/v1"\nmodel = "m"\n'
         "context_tokens = 200000\ninput_price = 1.0\noutput_price = 4.0\n"},
        {},
    )  # fmt: skip
    if chosen.codex:
        patch = PATCH.format("".join(f"+{line}\n" for line in FILE.splitlines()))
        run = {"cmd": "pytest -q", "sandbox_permissions": "require_escalated", "justification": "Run the tests?"}
        yield Program(
            "codex", chosen.codex, responses,
            ("exec_command", {"cmd": f"apply_patch <<'EOF'\n{patch}\nEOF"}), ("exec_command", run),
            "for shortcuts", "enter to confirm", ("y",), (("Escape",), ("Enter",)), "resume --last",
            {".codex/config.toml": 'model = "gpt-5.1-codex"\nmodel_provider = "x"\napproval_policy = "on-request"\n'
             'sandbox_mode = "read-only"\ncheck_for_update_on_startup = false\n[model_providers.x]\nname = "x"\n'
             'base_url = "@URL@/v1"\nwire_api = "responses"\n[projects."@PROJECT@"]\ntrust_level = "trusted"\n'},
            {},
        )  # fmt: skip
    if chosen.gemini:
        settings = {"security": {"auth": {"selectedType": "gemini-api-key"}}, "general": {"enableAutoUpdate": False},
                    "model": {"name": "gemini-2.5-pro"}, "privacy": {"usageStatisticsEnabled": False}}  # fmt: skip
        run = {"command": "pytest -q", "description": "Run the tests"}
        yield Program(
            "gemini-cli", chosen.gemini, generate,
            ("write_file", {"file_path": "notes.py", "content": FILE}), ("run_shell_command", run),
            "for shortcuts", "suggest changes", ("Enter",), (("Escape",), ("Enter",)), "--resume latest",
            {".gemini/settings.json": json.dumps(settings),
             ".gemini/trustedFolders.json": '{"@PROJECT@": "TRUST_FOLDER"}'},
            {"GEMINI_API_KEY": "x", "GOOGLE_GEMINI_BASE_URL": "@URL@"},
        )  # fmt: skip


class Screen:
    """A program in a terminal of its own."""

    def __init__(self, program: Program, words: str, place: Path, url: str) -> None:
        def whole(text: str) -> str:
            return text.replace("@URL@", url).replace("@PROJECT@", str(place / "shop"))

        for name, text in program.settings.items():
            path = place / "home" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(whole(text))
        folders = [str(Path(program.path).parent), str(Path(sys.executable).parent), os.environ["PATH"]]
        environment = {"HOME": str(place / "home"), "PATH": ":".join(folders), "TERM": "xterm-256color",
                       "COLORTERM": "truecolor", "LANG": "C.UTF-8"}  # fmt: skip
        environment.update({name: whole(value) for name, value in program.environment.items()})
        command = ["env", "-i", *(f"{name}={value}" for name, value in environment.items())]
        self.socket = str(place / f"tmux-{time.monotonic_ns()}")
        self._tmux("-f", "/dev/null", "new-session", "-d", "-x", str(COLUMNS), "-y", str(LINES),
                   "-c", str(place / "shop"), f"{shlex.join([*command, program.path])} {words}; sleep 60")  # fmt: skip

    def _tmux(self, *words: str) -> str:  # fails without harm once the program has left
        return subprocess.run(["tmux", "-S", self.socket, *words], capture_output=True, text=True).stdout

    def lines(self) -> list[str]:
        """Return the lines that are not blank."""
        return [line.rstrip() for line in self._tmux("capture-pane", "-p").split("\n") if line.strip()]

    def picture(self) -> str:
        """Return the screen as SVG."""
        return str(_DRAWING["draw_terminal"](self._tmux("capture-pane", "-e", "-p").rstrip("\n"), COLUMNS))

    def press(self, *keys: str) -> None:
        """Press keys, one after another."""
        for key in keys:
            self._tmux("send-keys", key)
            time.sleep(0.3)

    def type(self, words: str) -> None:
        """Type words."""
        self._tmux("send-keys", "-l", words)
        time.sleep(1.5)  # a key that follows at once would count as part of a paste

    def until(self, word: str) -> list[str]:
        """Return the screen once it has a word and has been still for a second."""
        end, before = time.monotonic() + LONGEST_S, [""]
        while time.monotonic() < end:
            time.sleep(1)
            lines = self.lines()
            if any(word in line for line in lines) and lines == before:
                return lines
            before = lines
        raise SystemExit(f"{word!r} did not come:\n" + "\n".join(self.lines()))

    def close(self) -> None:
        """End it."""
        self._tmux("kill-server")


@contextmanager
def place_with(program: Program, call: Call) -> Iterator[tuple[Path, str]]:
    """Yield a folder with a project and a home, and the address of a server that asks for one call."""

    def answer(request: HttpRequest) -> HttpReply:
        body = request.json if request.body else {}
        if request.method == "GET" or not body.get("tools"):
            return program.reply(None) if request.method == "POST" else json_reply({"data": [{"id": "m"}]})
        begun.append(True)
        return program.reply(call if len(begun) == 1 else None)

    begun: list[bool] = []
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder, HttpServer([answer]) as server:
        place = Path(folder)
        (place / "home").mkdir()
        (place / "shop").mkdir()
        for name, text in PROJECT.items():
            (place / "shop" / name).write_text(text)
        for words in ("init -q -b main", "add -A", "-c user.name=a -c user.email=a@b commit -qm Begin"):
            subprocess.run(["git", *words.split()], cwd=place / "shop", check=True)
        try:
            yield place, server.url
        finally:  # codex leaves two daemons behind, whose program lies in its home
            for process in Path("/proc").glob("[0-9]*"):
                with suppress(OSError):
                    if (process / "exe").readlink().is_relative_to(place):
                        os.kill(int(process.name), signal.SIGKILL)


@contextmanager
def asked(program: Program, call: Call) -> Iterator[tuple[Screen, list[str], Path, str]]:
    """Yield a program that asks about a call, with the lines below the prompt."""
    with place_with(program, call) as (place, url):
        screen = Screen(program, "", place, url)
        try:
            screen.until(program.ready)
            time.sleep(5)  # codex shows its line before it takes one
            screen.type(PROMPT)
            screen.press("Enter")
            lines = screen.until(program.asks)
            at = max((number for number, line in enumerate(lines) if PROMPT in line), default=-1)
            yield screen, lines[at + 1 :], place, url
        finally:
            screen.close()


def measured(program: Program, keep: Callable[[str, Screen], None]) -> Iterator[tuple[str, str]]:
    """Yield each task with its figures."""
    with place_with(program, program.command) as (place, url):
        screen = Screen(program, "", place, url)
        lines = screen.until(program.ready)
        keep("first", screen)
        screen.close()
        yield "first screen, lines", str(len(lines))
    with asked(program, program.file) as (screen, lines, place, url):
        keep("file", screen)
        shown = sum(any(line.strip() in row for row in lines) for line in FILE.splitlines() if line.strip())
        screen.press(*program.yes)
        screen.until(ENDED)
        keep("file-after", screen)
        assert (place / "shop/notes.py").read_text() == FILE, "one yes did not write the file"
        whole = sum(bool(line.strip()) for line in FILE.splitlines())
        beside = sum(not _OF_FILE.search(line) for line in lines)
        yield "a file of 31 lines", f"{beside} lines and {shown} of {whole} of the file's, {len(program.yes)} press"
        screen.press("C-c", "C-d", "C-c", "C-d")
        resumed = Screen(program, program.resume, place, url)
        try:
            lines = resumed.until(program.ready)
            keep("resume", resumed)
            is_seen = any(ENDED in line for line in lines)
            yield "go on", f"{len(program.resume) + 1} characters, {'earlier words shown' if is_seen else 'not shown'}"
        finally:
            resumed.close()
    with asked(program, program.command) as (screen, lines, _, _):
        keep("command", screen)
        screen.press(*program.yes)
        screen.until(ENDED)
        keep("command-after", screen)
        yield "pytest -q", f"{len(lines)} lines, {len(program.yes)} press"
    with asked(program, program.command) as (screen, _, _, _):
        first, last = program.no
        screen.press(*first)
        time.sleep(1)
        screen.type(REASON)
        screen.press(*last)
        screen.until(ENDED)
        keep("denied", screen)
        yield "deny with a reason", f"{len(first) + len(last)} presses"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--inarch", default=str(Path(sys.executable).with_name("inarch")))
    parser.add_argument("--codex")
    parser.add_argument("--gemini")
    parser.add_argument("--pictures", type=Path)
    chosen = parser.parse_args()
    rows: dict[str, list[str]] = {}
    names = []
    for program in programs(chosen):
        names.append(program.name)

        def keep(task: str, screen: Screen, name: str = program.name) -> None:
            if chosen.pictures:
                chosen.pictures.mkdir(parents=True, exist_ok=True)
                (chosen.pictures / f"{name}-{task}.svg").write_text(screen.picture())

        for task, figures in measured(program, keep):
            rows.setdefault(task, []).append(figures)
    print(f"| | {' | '.join(names)} |\n|{'---|' * (len(names) + 1)}")
    for task, cells in rows.items():
        print(f"| {task} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
