from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from inarch import CallPart, Message, Text, ToolCall, ToolError, ToolResult, Turn, Usage, UsageError
from inarch.contract.call_events import CallResult, CallState
from inarch.contract.events import EventData, ModelReplied, SessionStarted, TurnEnded, TurnStarted
from inarch.contract.stores import ContextStore
from inarch.journal.fold import fold
from inarch.journal.journal import Journal
from inarch.journal.redactor import Redactor
from inarch.sessions.kept_sessions import find_session
from inarch_plugins.commands.sessions.session_text import GLYPHS, heading
from inarch_plugins.commands.sessions.session_text import told as turns_told
from inarch_plugins.commands.sessions.sessions_command import sessions
from inarch_plugins.sqlite_store.store import SqliteStore
from inarch_sdk.figures import listing, local_time
from inarch_sdk.memory_store import MemoryStore

START = "2026-01-01T00:00:00.000000Z"
LATER = "2026-01-01T00:00:01.250000Z"


def record(store: ContextStore, session: str, root: str, prompt: str = "summarize\nthis") -> None:
    user = Turn("u", "user", None, session, START, START, prompt, status="done")
    agent = Turn("a", "agent", "u", session, START, model="demo/model")
    part = CallPart("c1", "p1", "read_file", {"file_path": "missing.py"})
    done = Turn("a", "agent", "u", session, START, LATER, "It is a\ngraft.", "demo/model",
                usage=Usage(1200, 34, cost_usd=Decimal("0.0125")), status="done")  # fmt: skip
    error = ToolError("not_found", "missing.py is not there", "look with list_files")
    events: list[tuple[EventData, str | None]] = [
        (SessionStarted(root, "1"), None),
        (TurnStarted(user), "u"),
        (TurnStarted(agent), "a"),
        (ModelReplied("demo/model", Message("assistant", (part,)), Usage(), "calls"), "a"),
        (CallState("c1", "read_file", "validating", ToolCall("c1", "p1", "a", "read_file", part.arguments)), "a"),
        (CallResult("c1", "read_file", "error", ToolResult(False, error=error), START, LATER), "a"),
        (ModelReplied("demo/model", Message("assistant", (Text("It is a\ngraft."),)), Usage(), "stop"), "a"),
        (TurnEnded(done), "a"),
    ]
    journal = Journal(store, session, redactor=Redactor())
    for payload, turn in events:
        journal.record(payload, turn)
    journal.flush()


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


def told(store: ContextStore, session: str, *, full: bool = False) -> str:
    info = find_session(store, session)
    history = fold(store.load(info.id))
    return "\n".join([*heading(info, 1), *turns_told(history.turns, GLYPHS, full=full)])


def test_a_list_has_a_line_a_session_with_enough_of_its_id(store: MemoryStore) -> None:
    for session in ("0190aaaa-1111-7000", "0190aaaa-1111-7999", "0190bbbb-2222-7000"):
        record(store, session, "/root")
    lines = list(listing(store.sessions(), [info.id for info in store.sessions()]))
    assert [line.split()[0] for line in lines] == ["0190bbbb", "0190aaaa-1111-79", "0190aaaa-1111-70"]
    assert all("8 events  summarize this" in line for line in lines)


def test_a_session_is_shown_as_a_tree(store: MemoryStore) -> None:
    record(store, "session-one", "/root")
    head, about, *rest = told(store, "session-one").split("\n")
    assert head == "session session-one"
    assert "1 turn · 8 events · /root" in about
    assert "\n".join(rest) == "\n".join(
        [
            "",
            "> summarize",
            "> this",
            "",
            f"● demo/model · {local_time(START, seconds=True)}",
            f"├─ ✗ read_file missing.py · {local_time(START, seconds=True)[-8:]} · 1.2 s",
            "│    not_found: missing.py is not there",
            "╰─ done · 1,200 in, 34 out · $0.0125 · 1.2 s",
            "",
            "It is a",
            "graft.",
        ]
    )


def test_what_a_call_brought_is_folded_unless_all_is_asked_for(store: MemoryStore) -> None:
    journal = Journal(store, "session-one", redactor=Redactor())
    journal.record(SessionStarted("/root", "1"))
    for name, lines in (("long", 40), ("short", 5)):
        call = ToolCall(name, "", "a", f"{name}_tool", {})
        journal.record(CallState(name, call.name, "validating", call), "a")
        data = "\n".join(f"{name} {number}" for number in range(lines))
        journal.record(CallResult(name, call.name, "success", ToolResult(True, data), START, LATER), "a")
    journal.flush()
    lines = told(store, "session-one").splitlines()
    assert [line for line in lines if "long " in line] == [f"│    long {number}" for number in range(4)]
    assert "│    … 36 more lines (--full shows them)" in lines
    assert sum("short " in line for line in lines) == 5, "what would save one line only is not folded"
    assert sum("long " in line for line in told(store, "session-one", full=True).splitlines()) == 40


def test_control_characters_are_shown_as_codes(store: MemoryStore) -> None:
    record(store, "session-one", "/ro\x1b]0;title\x07ot", "clear \x1b[2J the screen\r\x1b[A")
    lines = [told(store, "session-one"), *listing(store.sessions(), ["session-one"], with_root=True)]
    assert not any(control in "".join(lines) for control in "\x1b\x07\r")
    assert "\\x1b[2J" in lines[0]


def test_the_beginning_of_an_id_is_enough(store: MemoryStore) -> None:
    record(store, "0190aaaa", "/root")
    record(store, "0190aaaa-more", "/root")
    assert find_session(store, "0190aaaa-").id == "0190aaaa-more"
    assert find_session(store, "0190aaaa").id == "0190aaaa"
    with pytest.raises(UsageError, match="2 sessions begin with"):
        find_session(store, "0190")
    with pytest.raises(UsageError, match="no session 'x'"):
        find_session(store, "x")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Run the command with real state and configuration folders of its own."""
    for name in ("STATE", "CONFIG", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    root = tmp_path / "project"
    root.mkdir()

    def go(*words: str) -> Result:
        return CliRunner().invoke(sessions, [*words, "--root", str(root)], catch_exceptions=False)

    return go


def kept(tmp_path: Path, *sessions_and_roots: tuple[str, str]) -> None:
    store = SqliteStore(str(tmp_path / "state" / "inarch"))
    for session, root in sessions_and_roots:
        record(store, session, str(tmp_path / root))
    store.close()


def test_list_shows_this_directory_or_all(run: Callable[..., Result], tmp_path: Path) -> None:
    assert run("list").output == "no sessions in this directory; --all shows all others\n"
    kept(tmp_path, ("0190aaaa-1", "project"), ("0190bbbb-2", "other"))
    assert [line.split()[0] for line in run("list").output.splitlines()] == ["0190aaaa"]
    assert [line.split()[0] for line in run("list", "--all").output.splitlines()] == ["0190bbbb", "0190aaaa"]
