"""What a session of 105,000 events costs beside one of 13,000: time and memory of every command that reads it.

`python benchmarks/long_sessions.py [PYTHON ...]` makes both with the real store (turns of 44 events with six calls, of
which one changes a file) and its event log, and runs the commands in processes of their own, each once to warm up and
then `RUNS` times.
Interpreters may be named to see other versions side by side. CPU is user and system time of the process, memory its
greatest resident set, both medians; what counts are the ratios, large by small. Reach: 1.5 for whatever shows a page
or goes on with a session; flat memory for what goes through all of it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from statistics import median

from inarch.contract.call_events import CallResult, CallState, FileChanged
from inarch.contract.events import (
    ContextAdded,
    DecisionMade,
    Event,
    ModelReplied,
    ModelRequested,
    SessionStarted,
    TurnEnded,
    TurnStarted,
    event_data,
)
from inarch.contract.ids import new_id, utc_now
from inarch.contract.other_events import ContextDropped
from inarch.contract.records import CallPart, Effects, Message, Text, ToolCall, ToolResult, Turn, Usage
from inarch_plugins.jsonl_logger.logger import JsonlLogger
from inarch_plugins.sqlite_store.store import SqliteStore

TURNS = (300, 2400)
CALLS = 6
FILES = 20
WHOLE = 10
RUNS = 3
MODEL = "offline/extractive"
RESULT = {"content": "def weigh(basket):\n    return sum(apple.grams for apple in basket)\n" * 14, "hash": "0" * 64}
MODE = 0o100644


class Made:
    """A session in the making."""

    def __init__(self, store: SqliteStore, logger: JsonlLogger, root: Path) -> None:
        self.store, self.logger, self.root, self.id = store, logger, root, new_id()
        self.seq = 0
        self.agents: list[str] = []
        self.texts = {f"shop/module_{number}.py": "line = 0\n" * 40 for number in range(FILES)}
        self.keep([("", SessionStarted(str(root), "1"))])

    def keep(self, said: list[tuple[str, object]]) -> None:
        """Append events."""
        events = []
        for turn_id, payload in said:
            self.seq += 1
            kind, data = payload.kind, event_data(payload)  # type: ignore[attr-defined,arg-type]
            events.append(Event(self.seq, utc_now(), self.id, turn_id or None, kind, data))
        self.store.append(self.id, events)
        for event in events:
            self.logger.saw(event)

    def turn(self, number: int) -> None:
        """Append a turn: a prompt, calls of which one changes a file, and an answer."""
        asked, agent, now = new_id(), new_id(), utc_now()
        user = Turn(asked, "user", None, self.id, now, now, f"Do the thing number {number}, please.", status="done")
        turn = Turn(agent, "agent", asked, self.id, now, model=MODEL)
        usage = Usage(9000, 120, 8000, 0, Decimal(0))
        said: list[tuple[str, object]] = [
            ("", ContextDropped("turns", 3000, tuple(self.agents[-WHOLE - 1 : -WHOLE]), tuple(self.agents[-51:-50]))),
            (asked, TurnStarted(user)), (agent, TurnStarted(turn)), (agent, ContextAdded("mentions", "context " * 20)),
            (agent, DecisionMade("native", "ask_model")),
        ]  # fmt: skip
        self.agents.append(agent)
        for step in range(CALLS):
            said += self._call(agent, number, step, usage)
        done = Turn(agent, "agent", asked, self.id, now, now, "It is done.", MODEL, usage=usage, status="done")
        answer = ModelReplied(MODEL, Message("assistant", (Text("It is done."),)), usage, "stop", 0.5)
        said += [(agent, ModelRequested(MODEL, "turn", 12, 20)), (agent, answer), (agent, TurnEnded(done))]
        self.keep(said)

    def _call(self, agent: str, number: int, step: int, usage: Usage) -> list[tuple[str, object]]:
        now, path = utc_now(), f"shop/module_{(number + step) % FILES}.py"
        name = "read_file" if step else "edit_file"
        call = ToolCall(new_id(), f"call_{step}", agent, name, {"file_path": path})
        part = CallPart(call.id, call.provider_id, call.name, call.arguments)
        result = ToolResult(True, RESULT, metadata={"files": {path: f"{number:064x}"}, "duration_s": 0.001})
        changed = [] if step else [(agent, self._change(call.id, path, number))]
        return [
            (agent, ModelRequested(MODEL, "turn", 12, 20)),
            (agent, ModelReplied(MODEL, Message("assistant", (Text("Let me look."), part)), usage, "calls", 0.5)),
            (agent, CallState(call.id, call.name, "validating", call)),
            (agent, CallState(call.id, call.name, "scheduled", effects=Effects(frozenset({path})))),
            (agent, CallState(call.id, call.name, "executing")),
            *changed,
            (agent, CallResult(call.id, call.name, "success", result, now, now)),
        ]

    def _change(self, call_id: str, path: str, number: int) -> FileChanged:
        old = self.texts[path]
        lines = old.splitlines(keepends=True)
        lines[number % len(lines)] = f"line = {number}\n"
        new = self.texts[path] = "".join(lines)
        before, after = (sha256(text.encode()).hexdigest() for text in (old, new))
        for text in (old, new):
            self.store.put_blob(self.id, text.encode())
        return FileChanged(call_id, path, before, after, None, MODE, MODE, True)

    def write_files(self) -> None:
        """Write the files as the session left them."""
        for path, text in self.texts.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(text)


def measured(argv: list[str], cwd: Path) -> tuple[float, float]:
    """Return CPU seconds and megabytes of a process that must succeed."""
    out = os.open(os.devnull, os.O_WRONLY)
    process = subprocess.Popen(argv, cwd=cwd, stdout=out, stderr=subprocess.PIPE)
    os.close(out)
    assert process.stderr is not None
    said = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    process.stderr.close()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(argv)}: {said.decode()}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6


_CHAT = """
import asyncio, io, sys
import inarch
from inarch.program.composer import Options
from inarch.program.chat_launch import Launched
from inarch_plugins.terminal.conversation.chat_start import new_view
from inarch_plugins.terminal.slash.talk import SlashCommands
from inarch_plugins.terminal.slash.talk import Talk

with inarch.compose(flags={"model": "offline/extractive"}) as app:
    talk = Talk(app, app.session(sys.argv[1]), Launched(Options()), print, lambda: 80)
    new_view(talk, "", colours=False, stream=io.StringIO())
    talk.keep()
    asyncio.run(SlashCommands(talk).run("/retry"))
"""
_FORK = """
import sys
import inarch

with inarch.compose(flags={"model": "offline/extractive"}) as app:
    app.fork(sys.argv[1])
"""


def commands(session_id: str, folder: Path) -> dict[str, list[str]]:
    """Return the words of each command."""
    page = str(folder / "page.html")
    words = {
        "compose only": ["sessions", "list"],
        "resume and ask": ["ask", "--session", session_id, "list the files"],
        "sessions show": ["sessions", "show", session_id],
        "undo --list": ["undo", "--list", "--session", session_id],
        "undo --dry-run": ["undo", "--dry-run", "--session", session_id],
        "blame": ["blame", "shop/module_3.py"],
        "fork": ["sessions", "fork", session_id],
        "fork --at 200": ["sessions", "fork", session_id, "--at", "200"],
        "show --json": ["sessions", "show", session_id, "--json"],
        "export to HTML": ["sessions", "export", session_id, "-o", page, "--force"],
        "diff with itself": ["sessions", "diff", session_id, session_id],
    }
    called = {name: ["-m", "inarch", *said] for name, said in words.items()}
    return called | {name: ["-c", code, session_id] for name, code in (("/fork", _FORK), ("chat, /retry", _CHAT))}


def main() -> None:
    interpreters = sys.argv[1:] or [sys.executable]
    with tempfile.TemporaryDirectory() as name:
        for python in interpreters:
            print(f"{python}\n{'':<18}{'small':>8}{'large':>8}{'ratio':>7}{'MB':>8}{'MB':>8}{'ratio':>7}", flush=True)
            cases = [_case(Path(name, str(len(python)), str(turns)), turns) for turns in TURNS]
            for command in commands("", Path(name)):
                rows = []
                for root, session_id, state in cases:
                    os.environ |= {f"XDG_{kind}_HOME": f"{state}/{kind}" for kind in ("STATE", "CONFIG", "CACHE")}
                    argv = [python, "-P", *commands(session_id, state)[command]]
                    measured(argv, root)
                    runs = [measured(argv, root) for _ in range(RUNS)]
                    rows.append([median(column) for column in zip(*runs, strict=True)])
                (cpu, mb), (cpu_l, mb_l) = rows
                print(
                    f"{command:<18}{cpu:>8.2f}{cpu_l:>8.2f}{cpu_l / cpu:>7.2f}{mb:>8.0f}{mb_l:>8.0f}{mb_l / mb:>7.2f}",
                    flush=True,
                )


def _case(folder: Path, turns: int) -> tuple[Path, str, Path]:
    root, state = folder / "project", folder / "state"
    root.mkdir(parents=True)
    kept = state / "STATE" / "inarch"
    store, logger = SqliteStore(str(kept)), JsonlLogger(str(kept / "plugins" / "jsonl-logger" / "logs"))
    made = Made(store, logger, root)
    for number in range(1, turns + 1):
        made.turn(number)
    made.write_files()
    store.close()
    logger.close()
    return root, made.id, state


if __name__ == "__main__":
    main()
