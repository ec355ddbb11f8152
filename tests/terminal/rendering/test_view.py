"""What a conversation looks like: events in, text out."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch.contract.events import (
    ContextAdded,
    ErrorHappened,
    EventData,
    KeptImage,
    LimitWait,
    ModelDelta,
    Note,
    Spent,
)
from inarch.contract.other_events import ContextDropped, ModelSwitched
from inarch.contract.records import Message, Reasoning, Text, Usage
from inarch_plugins.terminal.notifications import Settings

from .picturing import (
    CALM,
    Stage,
    asked,
    begun,
    call,
    deltas,
    done,
    failed,
    output,
    over,
    replied,
    runs,
    too_wide,
    turn,
    unpainted,
)


def around() -> dict[str, str]:
    return {"mode": "auto·L3"}


ANSWER = """# Apples

An *apple* weighs
150 g.

- red
- green

```python
weigh(1)
```

| a | b |
|---|---|
| 1 | 2 |
"""


def test_a_turn_from_its_title_to_its_figures() -> None:
    stage = Stage().saw(begun(), asked(), call("c", "read_file", file_path="a.py"), runs("c"))
    stage.saw(done("c", "read_file", {"content": "x\n", "start_line": 1, "end_line": 12, "total_lines": 12}))
    stage.saw(asked(), ModelDelta("The "), ModelDelta("answer."), replied("The answer."), over("The answer."))
    assert stage.printed() == [
        "● a/b", "  ✓ read_file a.py · 12 lines · 2.5 s", "", "The answer.", "",
        "  1,200 in, 34 out · cost unknown · 2.5 s",
    ]  # fmt: skip
    assert stage.printed() == [] and stage.moving() == []


@given(st.lists(st.integers(0, 200), max_size=50), st.integers(20, 100), st.data())
def test_nothing_is_printed_twice_or_lost_however_it_comes(cuts: list[int], columns: int, data: st.DataObject) -> None:
    whole = Stage().saw(asked(), ModelDelta(ANSWER), replied(ANSWER), over(ANSWER)).view.finished(columns)
    stage = Stage().saw(asked())
    printed = ""
    for piece in deltas(ANSWER, cuts):
        stage.saw(piece)
        if data.draw(st.booleans()):
            printed += stage.view.finished(columns)
            stage.view.live(columns, 5)
    stage.saw(replied(ANSWER), over(ANSWER))
    assert printed + stage.view.finished(columns) == whole


def test_what_is_complete_is_printed_and_what_is_not_moves() -> None:
    stage = Stage().saw(asked(), ModelDelta("# One\n\nwords\n\nmore **wo"))
    assert stage.printed() == ["# One", "", "words"]
    assert stage.moving() == ["", "more **wo"]
    stage.saw(ModelDelta("rds** here"))
    assert stage.printed() == [] and stage.moving() == ["", "more words here"]
    stage.saw(replied())
    assert stage.printed() == ["", "more words here"] and stage.moving() == []


def test_an_answer_that_no_model_gave_is_shown() -> None:
    printed = Stage().saw(begun(), over("# Said")).printed()
    assert printed == ["● a/b", "# Said", "", "  1,200 in, 34 out · cost unknown · 2.5 s"]


def test_a_kept_reply_without_pieces_is_shown() -> None:
    message = Message("assistant", (Reasoning("hmm"), Text("The answer.")))
    kept = replied()
    stage = Stage().saw(begun(), asked(), type(kept)("a/b", message, Usage(1, 2), "stop"), over("The answer."))
    assert stage.printed()[1:4] == ["  ▸ thought", "", "The answer."]


def test_a_reply_that_broke_off_is_reported() -> None:
    stage = Stage().saw(begun(), asked(), ModelDelta("The ans"), replied(error="network", finish="error"))
    stage.saw(asked(attempt=2), ModelDelta("The answer"), replied("The answer"), over("The answer"))
    printed = stage.printed()
    assert printed.index("The ans") < printed.index("(the reply broke off here)") < printed.index("The answer")
    assert printed.count("The answer") == 1


def test_running_calls_move_with_the_end_of_their_output() -> None:
    stage = Stage().saw(
        begun(), call("c", "execute_command", command="pytest -q"), call("d", "read_file", file_path="b")
    )
    stage.printed()
    assert stage.moving() == ["  · execute_command pytest -q", "  · read_file b"]
    stage.saw(runs("c"), output("c", "".join(f"line {n}\n" for n in range(9))), output("c", "ha"), output("c", "lf"))
    stage.now += 75
    assert stage.view.is_moving
    assert stage.moving() == [
        "  ⋯ execute_command pytest -q · 1 min 15 s", "    line 6", "    line 7", "    line 8", "    half",
        "  · read_file b",
    ]  # fmt: skip
    assert stage.moving(rows=3) == ["  ⋯ execute_command pytest -q · 1 min 15 s", "    half", "  · read_file b"]
    assert stage.moving(rows=1) == ["    +2 more calls"]


@pytest.mark.parametrize(
    ("code", "status", "shown"),
    [
        ("not_found", "error", ["  ✗ x · 2.5 s", "    it went wrong"]),
        ("denied", "error", ["  ⊘ x · 2.5 s", "    it went wrong"]),
        ("cancelled", "cancelled", ["  ⊘ x · 2.5 s"]),
        ("unknown_outcome", "error", ["  ? x · outcome unknown · 2.5 s", "    it went wrong"]),
    ],
)
def test_how_a_call_went_is_seen(code: str, status: str, shown: list[str]) -> None:
    assert Stage().saw(call("c", "x"), runs("c"), failed("c", "x", code, status=status)).printed() == shown


FILES = [{"path": "a", "content": ""}, {"path": "b", "error": "too much"}]


@pytest.mark.parametrize(
    ("name", "arguments", "data", "shown"),
    [
        ("search_files", {"pattern": "def w", "path": "shop"}, {"hits": [1, 2, 3]}, "def w path=shop · 3 hits"),
        ("list_files", {}, {"files": ["a"], "truncated": True}, "list_files · 1 file, cut"),
        ("list_directory", {"directory": "."}, {"entries": [1, 2]}, ". · 2 entries"),
        ("read_multiple_files", {"file_paths": ["a", "b"]}, FILES, '["a", "b"] · 2 files'),
        ("x", {"a": 1}, [{}, {}], "· 2 items"),
        ("execute_command", {"command": "ls"}, {"exit_code": 0, "output": "a"}, "✓ execute_command ls · exit 0"),
        ("execute_command", {"command": "a\nb"}, {"exit_code": 1, "output": "x"}, "execute_command (2 lines) · exit 1"),
        ("move_file", {"file_path": "a", "new_path": "b"}, {"note": "moved"}, "a new_path=b · moved"),
        ("write_file", {"file_path": "a", "content": "x\ny\n"}, {"note": None}, "content=(2 lines) · 2 lines written"),
        ("delete_file", {"file_path": "a"}, {"note": "deleted"}, "a · deleted"),
        ("git_commit", {"message": "Why\n\nmore"}, {"commit": "0123456789abcdef"}, "· 0123456789"),
        ("git_diff", {}, {"diff": "a\nb"}, "git_diff · 2 lines"),
        ("context_get", {"query": "apples"}, "one\ntwo", "apples · 2 lines"),
        ("x", {"a": 1, "b": True, "c": None}, {"found": 1}, "x a=1 b=true"),
    ],
)  # fmt: skip
def test_a_call_is_reported_in_a_line(name: str, arguments: dict[str, Any], data: Any, shown: str) -> None:
    (line, *_) = Stage().saw(call("c", name, **arguments), runs("c"), done("c", name, data)).printed(120)
    assert shown in line


def test_an_edit_is_shown_as_a_diff() -> None:
    search, replace = "one\ntwo\nthree\n", "one\nzwei\ndrei\nthree\n"
    stage = Stage(colours=True)
    stage.view.name_calls(lambda name, arguments: f"Edit {arguments['file_path']}")
    stage.saw(call("c", "patch_source_file", file_path="a.py", search=search, replace=replace))
    stage.saw(runs("c"), done("c", "patch_source_file", {"path": "a.py", "line": 9}))
    printed = stage.printed()
    assert [unpainted(line) for line in printed] == [
        "  ✓ Edit a.py · +2 −1 · 2.5 s",
        "     9   one", "    10 - two", "    10 + zwei", "    11 + drei", "    12   three",
    ]  # fmt: skip
    assert "\x1b[31m- two\x1b[0m" in printed[2] and "\x1b[32m+ zwei\x1b[0m" in printed[3]


def test_a_wait_is_counted_down_and_then_gone() -> None:
    stage = Stage().saw(begun(), asked(), Note("slow down"), LimitWait("a/b", 12.0, "rate_limit"))
    assert stage.printed() == ["● a/b", "note: slow down"]
    assert stage.moving() == ["  ⋯ waiting 12 s for a/b (Ctrl-C cancels): rate limit"]
    stage.now += 5.5
    assert stage.moving() == ["  ⋯ waiting 7 s for a/b (Ctrl-C cancels): rate limit"] and stage.view.is_moving
    stage.saw(asked(attempt=2))
    assert stage.moving() == ["  ⋯ waiting for the model, attempt 2"]
    stage.saw(ModelDelta("x"))
    assert stage.moving() == ["x"]


def test_context_models_notes_and_errors_are_reported_once() -> None:
    stage = Stage().saw(begun(), ContextAdded("mentions", "x" * 1200, (KeptImage("image/png", "r"),)))
    stage.saw(ContextDropped("window", 900, turns=("t",)), ModelSwitched("a/b", "c/d", "out of quota"))
    stage.saw(Note("mind the gap"), Note("mind the gap"), ErrorHappened("no luck", "set:\nkey = 1"))
    stage.saw(over(status="failed", error="no luck (set: key = 1)"))
    assert stage.printed() == [
        "● a/b", "  + added to the prompt: 1.2 k characters, 1 picture",
        "  − left out of the context: 1 earlier turn wholly; about 900 tokens",
        "  ⇄ c/d takes over from a/b: out of quota", "    mind the gap", "",
        "error: no luck", "  set:", "  key = 1", "  1,200 in, 34 out · cost unknown · 2.5 s",
    ]  # fmt: skip


def test_the_status_tells_what_there_is_room_for() -> None:
    stage = Stage(options={"model": "a/b", "profile": "default", "window": {"a/b": 10_000}.get, "around": around})
    assert stage.view.status(80) == "a/b · auto·L3"
    stage.saw(asked(), replied(usage=Usage(1200, 300, cost_usd=Decimal("0.0123"))))
    assert stage.view.status(80) == "1.5k tokens · $0.0123 · context 15% · a/b · auto·L3"
    assert stage.view.status(40) == "$0.0123 · context 15% · a/b · auto·L3"
    assert stage.view.status(10) == "$0.0123"
    stage.saw(replied(usage=Usage(1200, 300)))
    assert "$0.0123 and 1 request unknown" in stage.view.status(80)
    stage.saw(over())
    session = Spent("", "", "", 2, 0, 5000, 100, unknown=2)
    stage.saw(type(over())(turn(), (), session))
    assert stage.view.status(80) == "context 15% · a/b · auto·L3", "the line under the turn has what it took"
    stage.saw(asked(), replied(usage=Usage(100, 0)))
    assert stage.view.status(80).startswith("5.2k tokens · context 1%")


def test_the_status_is_filled_by_a_template() -> None:
    settings = Settings(status_line="{model} {mode} {context} {nothing}\x1b[2J")
    stage = Stage(options={"model": "a/b", "window": {"a/b": 10_000}.get, "around": around, "settings": settings})
    stage.saw(asked(), replied(usage=Usage(1200, 300)))
    assert stage.view.status(80) == "a/b auto·L3 context 15% {nothing}\\x1b[2J"


NASTY = "\x1b[2J\x1b]8;;http://evil\x07x\u202egpj\u2066 日本 👩\u200d💻 e\u0301 \tand\r\nmore\n"
TEXTS = st.sampled_from([NASTY, "", "word " * 30, "x" * 300, ANSWER, "日本" * 40, "a\n\n", "`"])
CALLS = st.sampled_from(["c", "d", "e"])
NAMES = st.sampled_from(["read_file", "execute_command", "patch_source_file", "create_file", NASTY])
RESULTS = st.one_of(
    st.none(), TEXTS, st.fixed_dictionaries({"exit_code": st.integers(0, 2), "output": TEXTS}),
    st.fixed_dictionaries({"note": st.one_of(st.just("created"), TEXTS), "line": st.integers(1, 9)}),
)  # fmt: skip
PAYLOADS: st.SearchStrategy[EventData] = st.one_of(
    st.builds(begun), st.builds(asked), st.builds(ModelDelta, text=TEXTS), st.builds(ModelDelta, reasoning=TEXTS),
    st.builds(replied, TEXTS), st.builds(replied, error=st.just("network")),
    st.builds(call, CALLS, NAMES, file_path=TEXTS, content=TEXTS, search=TEXTS, replace=TEXTS, command=TEXTS),
    st.builds(runs, CALLS), st.builds(output, CALLS, TEXTS), st.builds(done, CALLS, NAMES, RESULTS),
    st.builds(failed, CALLS, NAMES, st.sampled_from(["denied", "execution", "unknown_outcome"]), TEXTS),
    st.builds(LimitWait, TEXTS, st.just(3.0), TEXTS), st.builds(Note, TEXTS), st.builds(ErrorHappened, TEXTS, TEXTS),
    st.builds(ContextAdded, TEXTS, TEXTS), st.builds(ModelSwitched, TEXTS, TEXTS, TEXTS), st.builds(over, TEXTS),
)  # fmt: skip


@given(st.lists(PAYLOADS, max_size=30), st.integers(20, 120), st.integers(1, 12), st.booleans(), st.booleans())
def test_whatever_happens_it_fits_and_is_harmless(
    payloads: list[EventData], columns: int, rows: int, colours: bool, glyphs: bool
) -> None:
    stage = Stage(colours, glyphs)
    stage.view.unfold(len(payloads) % 2 == 0)
    for payload in payloads:
        stage.saw(payload)
        stage.now += 1.5
        live, printed, status = stage.view.live(columns, rows), stage.view.finished(columns), stage.view.status(columns)
        assert live.count("\n") < rows and not live.endswith("\n")
        assert printed == "" or printed.endswith("\n")
        for text in (live, printed, status):
            assert too_wide(text, columns) == []
            assert re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\u2066]", CALM.sub("", text)) is None
            assert glyphs or text.isascii()
            assert colours or "\x1b" not in text


def test_a_turn_of_which_no_more_is_heard_stops_moving_and_loses_nothing() -> None:
    stage = Stage().saw(
        begun(), asked(), ModelDelta("Half an ans"), call("c", "read_file", file_path="a.py"), runs("c")
    )
    stage.view.give_up()
    printed = "\n".join(stage.printed())
    assert stage.moving() == [] and not stage.view.is_moving
    assert "Half an ans" in printed and "read_file a.py" in printed
    again = Stage().saw(begun(), asked())
    again.view.give_up()
    assert again.moving() == [] and not again.view.is_moving
