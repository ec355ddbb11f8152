"""What the page tells of a session."""

from __future__ import annotations

import base64
import hashlib
import re

import pytest

from inarch.contract.events import ContextAdded, LimitWait, ModelReplied, ModelRequested, Note
from inarch.contract.other_events import CallReviewed, CallRewritten
from inarch.contract.records import Message, ToolError, Usage
from inarch_plugins.export.html.page import MOST_OPEN

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


def test_long_outputs_are_cut_and_that_is_told() -> None:
    told = Telling()
    told.prompt("go")
    told.run(told.call("read_file", file_path="big"), "begin " + "x" * 500_000 + " end")
    page = page_of(told)
    assert len(page) < 100_000
    assert "480,010 characters left out of the middle" in page
    assert "begin x" in page
    assert "x end" in page


def test_the_steps_of_a_long_session_wait_to_be_opened() -> None:
    told = Telling()
    for number in range(MOST_OPEN):
        told.prompt(f"prompt {number}")
        told.run(told.call("read_file", file_path="a.py"), "text")
        told.answer("yes")
    page = page_of(told)
    assert page.count('<details class="work"><summary>') == page.count("<noscript>") == MOST_OPEN
    assert "prompt 299" in Reader(page).texts["list"][0]


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
