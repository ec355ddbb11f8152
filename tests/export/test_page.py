"""What the page tells of a session."""

from __future__ import annotations

import base64
import hashlib
import re
import tracemalloc
from collections.abc import Iterator

import pytest

from inarch.contract.beside_events import CallReviewed, CallRewritten, CommandRan
from inarch.contract.call_events import CallResult, CallsDone, CallState, ChangesUndone, FileChanged
from inarch.contract.events import ContextAdded, ErrorHappened, Event, LimitWait, ModelReplied, ModelRequested, Note
from inarch.contract.records import Message, ToolCall, ToolError, ToolResult, Usage
from inarch.testing import transcript_of
from inarch.transcripts import Exchange
from inarch_export.cutting import cut
from inarch_export.html.page import MOST_OPEN, page
from inarch_export.html.timeline import MOST_TURNS, TALLEST
from inarch_export.overview import overview_of
from inarch_sdk.exchanges import exchanges

from .reading_html import Reader
from .telling import Telling
from .written import export


def page_of(told: Telling) -> str:
    return export(told.events, "html")


@pytest.fixture
def told() -> Telling:
    told = Telling()
    told.prompt("Fix the test")
    told.add(ContextAdded("brief-tracer", "# Execution flow\n\nEntry: acme.cli:check"))
    told.add(LimitWait("gemini/gemini-flash-latest", 3.5, "rate_limit"), 3.5)
    read, find = told.call("read_file", file_path="a.py"), told.call("find_callers", function="f")
    told.reply("Let me look.", "First I read.", calls=(read, find))
    now = told.now
    told.run(read, {"path": "a.py", "content": "x = 1\ny = 2\n"}, 0.25)
    told.now = now
    told.run(find, error=ToolError("not_found", "no function f", "look with find_symbols"), seconds=1.5)
    patch = told.call(
        "patch_source_file", file_path="a.py", search="x = 1\ny = 2\n", replace="x = 1\ny = 3\n", description="d"
    )
    told.ask(patch, 5.0, scope="session")
    told.run(patch, {"path": "a.py"}, changed="a.py")
    told.answer("It is **done**.")
    told.add(Note("1 of 2 paths touched\nacme.cli:check", "brief-tracer"))
    told.now += 600
    told.prompt("And again")
    told.end(status="failed", error="no answer came")
    return told


def test_a_turn_has_its_prompt_its_calls_and_its_answer(told: Telling) -> None:
    read = Reader(page_of(told))
    assert [prompt.removeprefix("Prompt") for prompt in read.texts["prompt"]] == ["Fix the test", "And again"]
    assert read.texts["answer"] == ["AnswerIt is done.\n"]
    calls = [text for text in read.texts["step"] if "read_file" in text]
    assert "succeeded" in calls[0]
    assert "250 ms" in calls[0]
    assert "x = 1\ny = 2\n" in calls[0]
    (failed,) = [text for text in read.texts["step"] if "find_callers" in text]
    assert "not_found no function flook with find_symbols" in failed


def test_a_change_is_shown_as_a_diff_with_who_approved_it(told: Telling) -> None:
    read = Reader(page_of(told))
    assert read.texts["diff"] == [" x = 1\n-y = 2\n+y = 3\n"]
    (patch,) = [text for text in read.texts["step"] if "patch_source_file" in text]
    assert "Asked because it changes a.py." in patch
    assert "Approved by the user, for the session" in patch
    assert "It waited 5.0 s." in patch
    assert "changed a.py" in patch


def test_the_head_tells_which_session_it_was_and_what_it_took(told: Telling) -> None:
    page = page_of(told)
    facts = dict(re.findall(r"<dt>([^<]+)</dt><dd>([^<]*)</dd>", page))
    assert facts["Turns"] == "2"
    assert facts["Calls"] == "3 (1 failed)"
    assert facts["Folder"] == "/home/ada/acme"
    assert facts["Profile"] == "default"
    assert facts["Cost"] == "$0.0043"
    assert facts["Tokens"] == "10,428 in, 376 out"
    assert Reader(page).texts["extra"][1].startswith("1 file touchedchanged a.py turn 1")


def test_parallel_calls_lie_side_by_side_on_the_timeline(told: Telling) -> None:
    page = page_of(told)
    work = page[page.index('class="work"') :]
    bars = re.findall(
        r'<rect x="([\d.]+)" y="(\d+)" width="([\d.]+)" height="10" class="bar is-(\w+)"><title>([^<]*)', work
    )
    places = {title.split(" · ")[0]: (float(x), int(y), kind) for x, y, _, kind, title in bars}
    assert places["read_file"][0] == places["find_callers"][0]
    assert places["read_file"][1] != places["find_callers"][1]
    assert places["find_callers"][2] == "failed"
    assert places["patch_source_file waits for approval"][2] == "asking"
    assert places["Waited 3.5 s for gemini/gemini-flash-latest"][2] == "wait"


def test_execution_paths_are_named(told: Telling) -> None:
    steps = Reader(page_of(told)).texts["step"]
    assert any("Execution flow" in step and "# " not in step and "Entry: acme.cli:check" in step for step in steps)
    assert any("1 of 2 paths touched" in step and "acme.cli:check" in step for step in steps)


def test_a_turn_that_failed_says_so(told: Telling) -> None:
    assert Reader(page_of(told)).texts["ending"] == ["The turn failed: no answer came"]


def test_a_reply_that_is_the_answer_is_not_shown_twice(told: Telling) -> None:
    assert page_of(told).count("<strong>done</strong>") == 1
    assert Reader(page_of(told)).texts["said"] == ["Let me look.\n"]


def test_a_session_that_was_cut_off_says_what_is_unknown() -> None:
    told = Telling()
    told.prompt("go")
    call = told.call("execute_command", command="make")
    told.raw("call.state", {"call_id": call.id, "name": "execute_command", "status": "executing"})
    told.raw("call.output", {"call_id": call.id, "text": "half of it"})
    page = page_of(told)
    assert "No result is recorded: what this call did is unknown." in page
    assert "half of it" in page
    assert "No end is recorded: Inarch stopped" in page


def test_what_happens_between_turns_stands_there() -> None:
    told = Telling()
    told.prompt("go")
    told.answer("gone")
    told.add(CommandRan("undo", "", "a.py is as before"))
    told.add(ChangesUndone("u", "undo", ("call-1",)))
    told.add(FileChanged("u", "a.py", "2" * 64, "1" * 64))
    told.add(ErrorHappened("the disk is full", "make room"))
    read = Reader(page_of(told))
    (later,) = [text for text in read.texts["steps"] if "/undo" in text]
    assert "Changes taken back: 1 call" in later
    assert "changed a.py" in later
    assert "the disk is full" in later


def test_the_page_loads_nothing_and_allows_only_its_own_script_and_style(told: Telling) -> None:
    page = page_of(told)
    read = Reader(page)
    policy = next(str(found["content"]) for name, found in read.elements if found.get("http-equiv"))
    for name in ("style", "script"):
        content = re.findall(rf"<{name}>(.*?)</{name}>", page, re.S)
        digest = base64.b64encode(hashlib.sha256(content[0].encode()).digest()).decode()
        assert len(content) == 1
        assert f"{name}-src 'sha256-{digest}'" in policy
        assert not re.search(
            r"url\(|@import|//\w|https?:|fetch|XMLHttp|import\(|eval|sendBeacon", re.sub(r"// .*", "", content[0])
        )
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert not {"link", "img", "iframe", "object", "embed", "base", "form", "video", "audio", "source"} & read.tags
    assert not {name for name in read.attributes if name.startswith("on") or name in ("src", "srcset", "style")}


def test_links_within_the_page_lead_somewhere(told: Telling) -> None:
    read = Reader(page_of(told))
    ids = {found["id"] for _, found in read.elements if found.get("id")}
    assert {link[1:] for link in read.links} <= ids
    assert {found["aria-labelledby"] for _, found in read.elements if "aria-labelledby" in found} <= ids


def test_long_outputs_are_cut_and_that_is_told() -> None:
    told = Telling()
    told.prompt("go")
    told.run(told.call("read_file", file_path="big"), "begin " + "x" * 500_000 + " end")
    page = page_of(told)
    assert len(page) < 100_000
    assert "480,010 characters left out of the middle" in page
    assert "begin x" in page
    assert "x end" in page


@pytest.mark.parametrize(("most_text", "left"), [(100_000, "0"), (99, "8,000")])
def test_texts_are_cut_shorter_where_they_are_very_many(most_text: int, left: str) -> None:
    told = Telling()
    told.prompt("go")
    told.run(told.call("read_file", file_path="big"), {"content": "begin " + "x" * 11_990 + " end"})
    told.answer("It is done.")
    made = "".join(page(transcript_of(told.events), most_text=most_text))
    assert ("characters left out of the middle" in made) == (left != "0")
    assert left == "0" or f"{left} characters left out of the middle" in made
    assert made.count("begin x") == made.count("x end") == 1
    assert cut("y" * 20_000) == ("y" * 20_000, ""), "no other export is cut shorter for it"


def test_what_is_held_of_a_session_does_not_grow_with_its_calls() -> None:
    assert held(calls=40) < 1.5 * held(calls=8)


class Held:
    """A session whose events take nothing more when they are read."""

    def __init__(self, events: list[Event]) -> None:
        kept = transcript_of(events)
        self.info, self.begun, self.spent, self._events = kept.info, kept.begun, tuple, events

    def events(self) -> Iterator[Event]:
        return iter(self._events)

    def exchanges(self) -> Iterator[Exchange]:
        return exchanges(self._events)


def held(calls: int) -> int:
    """Return the most bytes that the look at a session of 400 turns held at a time."""
    told = Telling()
    for _ in range(400):
        told.prompt("go")
        for _ in range(calls):
            told.run(told.call("read_file"))
        told.end("yes")
    assert all(event.line for event in told.events)  # which an event keeps
    session = Held(told.events)
    tracemalloc.start()
    try:
        overview = overview_of(session)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert overview.calls == 400 * calls
    return most


def test_the_steps_of_a_long_session_wait_to_be_opened() -> None:
    told = Telling()
    for number in range(MOST_OPEN):
        told.prompt(f"prompt {number}")
        told.run(told.call("read_file", file_path="a.py"), "text")
        told.answer("yes")
    page = page_of(told)
    assert page.count('<details class="work"><summary>') == page.count("<noscript>") == MOST_OPEN
    assert "prompt 299" in Reader(page).texts["list"][0]


def test_a_page_is_made_a_turn_at_a_time() -> None:
    told = Telling()
    for number in range(40):
        told.prompt(f"prompt {number}")
        told.run(told.call("read_file", file_path="a.py"), "y" * 15_000)
        told.answer("yes")
    pieces = list(page(transcript_of(told.events)))
    assert max(map(len, pieces)) < 60_000
    assert sum(map(len, pieces)) > 600_000


def test_a_session_without_turns_is_a_page_too() -> None:
    assert "A session without prompts" in page_of(Telling())


def test_of_very_many_turns_the_timeline_tells_how_long_each_took() -> None:
    told = Telling()
    for number in range(1, MOST_TURNS + 2):
        told.prompt(f"prompt {number}")
        told.answer("yes", seconds=9.0 if number == 50 else 1.0)
    page = page_of(told)
    assert f"How long each of {MOST_TURNS + 1} turns took: at most 9.0 s." in page
    heights = dict(re.findall(r'height="([\d.]+)" class="bar is-turn"><title>(\d+)\.', page))
    assert {number: height for height, number in heights.items()}["50"] == f"{TALLEST:.1f}"


def test_a_long_paste_is_folded_after_its_first_lines() -> None:
    told = Telling()
    told.prompt("\n".join(f"line {number}" for number in range(2_000)))
    told.answer("So many.")
    page = page_of(told)
    (prompt,) = re.findall(r'<div class="prompt">.*?</div>', page, re.S)
    before, _, folded = prompt.partition("<details")
    assert "line 19<" in before and "line 20" not in before
    assert "1,980 more lines" in folded and "line 1999" in folded


def test_a_cancelled_turn_is_cancelled_and_nothing_of_it_failed() -> None:
    told = Telling()
    told.prompt("Wait")
    call = told.call("execute_command", command="sleep 60")
    told.reply(calls=(call,))
    told.run(call, error=ToolError("cancelled", "cancelled while it ran"), status="cancelled")
    told.add(ModelRequested("a/b", "turn", 1, 1))
    told.add(ModelReplied("a/b", Message("assistant", ()), Usage(100, 2, estimated=True), "error", error="cancelled"))
    told.end(status="cancelled")
    page = page_of(told)
    assert 'class="ending stopped"' in page and "The turn was cancelled" in page
    assert 'class="bad"' not in page and "1 failed" not in page and "1 stopped" in page
    assert "about 100 in, 2 out" in page


def test_a_persons_own_command_stands_once() -> None:
    told = Telling()
    call = ToolCall("own", "", "", "execute_command", {"command": "git status"}, origin="user")
    told.add(CallState("own", "execute_command", "validating", call))
    told.add(CallResult("own", "execute_command", "success", ToolResult(True, {"output": "clean", "exit_code": 0})))
    told.add(CommandRan("!", "git status", "clean"))
    told.add(CommandRan("!", "ls", "a.py"))  # a record that lost the call still has the remark
    steps = Reader(page_of(told)).texts["step"]
    assert sum("git status" in step for step in steps) == 1
    assert sum("!ls" in step for step in steps) == 1


@pytest.mark.parametrize("format", ["html", "markdown"])
def test_the_journals_bookkeeping_is_not_told(told: Telling, format: str) -> None:
    told.add(CallsDone(("c",), "model", 0))
    told.raw("file.changing", {"call_id": "c", "path": "a.py"})
    said = export(told.events, format)
    assert "calls.done" not in said and "file.changing" not in said


@pytest.fixture
def planned() -> Telling:
    """A session with a plan and a list, a call that a plugin rewrote, and one whose result it added to."""
    told = Telling()
    told.prompt("Plan it")
    present = told.call("present_plan", plan="# The plan\n\n1. Write <new>.txt\n")
    told.ask(present, outcome="modify")
    told.run(present, {"approved": True, "edits": "asked about, each", "plan": "# The plan\n\n1. Write only it\n"})
    todos = [{"content": "Find <it>", "status": "completed"}, {"content": "Change it", "status": "pending"}]
    listed = told.call("write_todos", todos=todos)
    text = "1 of 2 done\n- [x] Find <it>\n- [ ] Change it"
    told.raw("plan.todos", {"text": text, "todos": todos})
    told.run(listed, {"done": 1, "of": 2})
    write = told.call("write_file", file_path="old.txt", content="x")
    told.add(CallRewritten(write.id, "write_file", "hooks", "hooks", {"file_path": "new.txt"}, "ask", "it <moved>"))
    told.run(write, {"note": "written"}, changed="new.txt")
    told.add(CallReviewed(write.id, "write_file", "hooks", "hooks", "mind the <gap>"))
    told.add(CallReviewed(write.id, "write_file", "lint", "lint", "that is enough", True))
    told.answer("It is done.")
    return told


def test_the_page_has_what_plugins_made_of_a_call_and_added_to_its_result(planned: Telling) -> None:
    read = Reader(page_of(planned))
    (step,) = [text for text in read.texts["step"] if "write_file" in text]
    assert "Rewritten" in step and "hooks rewrites it to" in step and "new.txt" in step
    assert "asks about it: it <moved>" in step
    assert "Added to the output" in step and "Added by hooks:" in step and "mind the <gap>" in step
    assert "Added by lint, which ends the turn:" in step and "that is enough" in step
    (other,) = [text for text in read.texts["step"] if "present_plan" in text]
    assert "Rewritten" not in other and "Added" not in other


def test_the_page_has_the_plan_as_it_was_made_and_approved_and_the_list(planned: Telling) -> None:
    read = Reader(page_of(planned))
    (plan,) = [text for text in read.texts["step"] if "present_plan" in text]
    assert "1. Write <new>.txt" in plan and "1. Write only it" in plan and "by the user" in plan
    steps = "\n".join(read.texts["step"])
    assert "1 of 2 done" in steps and "[x] Find <it>" in steps and "[ ] Change it" in steps


def test_the_text_has_plan_list_and_what_plugins_said_of_calls(planned: Telling) -> None:
    text = export(planned.events, "markdown")
    for part in (
        "1. Write <new>.txt", "1. Write only it", "hooks rewrites it to",
        "*plan.todos: 1 of 2 done - \\[x\\] Find \\<it\\> - \\[ \\] Change it*",
        "Added by hooks:\n\n```text\nmind the <gap>\n```",
        "Added by lint, which ends the turn:\n\n```text\nthat is enough\n```",
    ):  # fmt: skip
        assert part in text, part
