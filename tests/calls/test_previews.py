"""What the person is shown before a call runs."""

from __future__ import annotations

from typing import Any

import pytest

from inarch.calls.previews import Files, preview
from inarch.contract.records import Category, Effects, ToolCall
from inarch.journal.redactor import Redactor
from inarch_sdk.tool_decorator import FunctionTool

Kitchen = Any
WRITES = Effects(writes=frozenset({"a"}))
REMOVES = Effects(writes=frozenset({"a"}), removes=True)


def shown(kitchen: Kitchen, name: str, category: Category = "file", /, **arguments: Any) -> list[str]:
    return shown_with(kitchen, WRITES, name, category, **arguments)


def shown_with(kitchen: Kitchen, effects: Effects, name: str, category: Category, /, **arguments: Any) -> list[str]:
    tool = FunctionTool(lambda: None, name, "", {}, category=category, effects_rule=effects)
    hide = Redactor.from_environ({"SHOP_API_KEY": "not-for-any-eye-4711"}).text
    shown, _ = preview(ToolCall("id", "", "t", name, arguments), tool, effects, Files(kitchen.workspace, hide))
    return shown.split("\n")


TEXT = "".join(f"line {number}\n" for number in range(1, 21))


def test_a_patch_is_a_diff_with_the_lines_of_the_present_file(kitchen: Kitchen) -> None:
    kitchen.file("a", TEXT.encode())
    lines = shown(kitchen, "patch_source_file", file_path="a", search="line 10\n", replace="ten\n")
    assert lines[:3] == ["--- a", "+++ a", "@@ -7,7 +7,7 @@"]
    assert {"-line 10", "+ten", " line 9"} <= set(lines)


def test_a_secret_of_the_present_file_is_shown_as_its_placeholder(kitchen: Kitchen) -> None:
    kitchen.file("a", b"key = not-for-any-eye-4711\nport = 1\n")
    lines = shown(
        kitchen, "patch_source_file", file_path="a", search="key = ‹secret:SHOP_API_KEY›\nport = 1", replace="port = 2"
    )
    assert "-key = ‹secret:SHOP_API_KEY›" in lines
    assert not any("4711" in line for line in lines)
    assert "-key = ‹secret:SHOP_API_KEY›" in shown_with(kitchen, REMOVES, "delete_file", "file", file_path="a")


@pytest.mark.parametrize(("search", "times"), [("nowhere", 0), ("line", 20)])
def test_a_patch_that_will_not_work_is_reported(kitchen: Kitchen, search: str, times: int) -> None:
    kitchen.file("a", TEXT.encode())
    lines = shown(kitchen, "patch_source_file", file_path="a", search=search, replace="x")
    assert lines[1] == f"+++ a (the text to replace is there {times} times)"
    assert f"-{search}" in lines and "+x" in lines


def test_writing(kitchen: Kitchen) -> None:
    kitchen.file("a", b"one\ntwo\n")
    assert shown(kitchen, "write_file", file_path="new", content="x\n") == ["+++ new (a new file)", "+x"]
    assert {"-two", "+2"} <= set(shown(kitchen, "write_file", file_path="a", content="one\n2\n"))
    assert shown(kitchen, "write_file", file_path="a", content="one\ntwo\n") == ["a stays as it is"]
    kitchen.file("big", b"x" * 300_000)
    assert shown(kitchen, "write_file", file_path="big", content="x\n")[0] == "+++ big (in place of 300,000 bytes)"


def test_moving_and_deleting_say_what_happens(kitchen: Kitchen) -> None:
    kitchen.file("a", b"one\ntwo\n")
    assert shown(kitchen, "move_file", file_path="a", new_path="b") == ["move a (8 bytes)", "  to b"]
    assert shown(kitchen, "move_file", file_path="a", new_path="a")[2] == "  where a file exists already"
    assert shown(kitchen, "move_file", file_path="x", new_path="b")[0] == "move x (which is not there)"
    lines = shown_with(kitchen, REMOVES, "weed", "file", file_path="a")
    assert lines[0] == "delete a (8 bytes)" and {"-one", "-two"} <= set(lines)


def test_a_command_is_shown_as_its_words(kitchen: Kitchen) -> None:
    lines = shown(kitchen, "execute_command", "command", command="git  commit -m 'a \"b\"'", timeout_s=5)
    assert lines == [
        "$ git commit -m 'a \"b\"'",
        "  · git",
        "  · commit",
        "  · -m",
        "  · 'a \"b\"'",
        "timeout_s = 5",
    ]
    assert '"command": "a | b"' in "\n".join(shown(kitchen, "execute_command", "command", command="a | b"))


def test_what_is_too_long_is_counted(kitchen: Kitchen) -> None:
    lines = shown(kitchen, "write_file", file_path="new", content="x\n" * 5_000)
    assert len(lines) == 2_001 and lines[-1] == "… 3,001 more lines"
    assert shown(kitchen, "write_file", file_path="new", content="x" * 5_000)[1].endswith("… (3,001 more characters)")
    long = "x " * 995 + "lily.pads-42-and-weed " + "y " * 2_000
    assert " lily.pads-42-and-weed… (" in shown(kitchen, "write_file", file_path="new", content=long)[1]


@pytest.mark.parametrize("told", ["merges\nnot-for-any-eye-4711", None, 3 / 1])
def test_a_tool_may_say_itself_what_is_shown(kitchen: Kitchen, told: Any) -> None:
    def preview_rule(arguments: Any) -> Any:
        return 1 / 0 if told == 3 else told

    tool = FunctionTool(lambda: None, "merge", "", {}, preview_rule=preview_rule)
    hide = Redactor.from_environ({"SHOP_API_KEY": "not-for-any-eye-4711"}).text
    call = ToolCall("id", "", "t", "merge", {"change": "x"})
    shown, _ = preview(call, tool, WRITES, Files(kitchen.workspace, hide))
    if told == 3 or told is None:  # a tool that fails, or has nothing to say: its arguments
        assert shown.split("\n") == ["{", '  "change": "x"', "}"]
    else:
        assert shown == "merges\n‹secret:SHOP_API_KEY›"
