"""`inarch tools` and `inarch models`."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import inarch
from inarch.contract.codec import from_data

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def test_list_and_show(cli: Run) -> None:
    rows = json.loads(cli("tools", "list", "--json").stdout)
    assert {"read_file", "list_files"} <= {row["name"] for row in rows}
    listed = cli("tools", "list").stdout.splitlines()
    assert [line.split()[0] for line in listed] == [row["name"] for row in rows]
    shown = cli("tools", "show", "read_file").stdout
    assert "file_path: string, required" in shown
    assert json.loads(cli("tools", "show", "read_file", "--json").stdout)["name"] == "read_file"


def test_call_prints_one_result(cli: Run) -> None:
    done = cli("tools", "call", "read_file", '{"file_path": "README.md"}')
    result = from_data(inarch.ToolResult, json.loads(done.stdout))
    assert (done.returncode, result.success) == (0, True)
    assert "apples" in result.data["content"]


def test_call_takes_arguments_from_standard_input(cli: Run) -> None:
    done = cli("tools", "call", "read_file", "-", stdin='{"file_path": "README.md"}')
    assert json.loads(done.stdout)["success"] is True


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("read_file", '{"file_path": "/etc/passwd"}', "permission"),
        ("read_file", '{"file_path": "nowhere.md"}', "not_found"),
        ("read_file", "{}", "validation"),
        ("read_file", '{"file_path": "../secret"}', "permission"),
        ("write_file", '{"file_path": "a", "content": "x"}', "denied"),
        ("reed_file", "{}", "not_found"),
    ],
)
def test_a_failed_call_is_a_result_and_exit_1(cli: Run, name: str, arguments: str, code: str) -> None:
    done = cli("tools", "call", name, arguments)
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout)["error"]["code"] == code


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("call", "read_file", '{"file_path": }'), "line 1, column 15"),
        (("call", "read_file", "[1]"), "not an object"),
        (("call", "read_file", "[" * 100_000), "nested too deeply"),
        (("show", "reed_file"), "did you mean 'read_file'?"),
    ],
)
def test_wrong_words_are_exit_2(cli: Run, words: tuple[str, ...], said: str) -> None:
    done = cli("tools", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


DEEP = """
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal

import inarch


class Size(Enum):
    SMALL = "small"
    LARGE = "large"


@dataclass
class Box:
    "A box."
    size: Size
    inside: "list[Box]" = field(default_factory=list)


def touches(given):
    return inarch.Effects(reads=frozenset(given["paths"]), writes=frozenset([given["to"]]))


@inarch.tool(category="file", effects=touches)
def pack(
    paths: list[str], to: str, box: Box, how: Literal["tight", "loose"] = "loose", note: str | None = None
) -> None:
    "Pack files."


@inarch.tool(effects=lambda given: inarch.Effects(writes=frozenset([given["nowhere"]])))
def lost(what: str) -> None:
    "Lose something."


@inarch.tool
def idle() -> None:
    "Do nothing."
"""


def test_show_tells_values_members_and_effects(cli: Run, tmp_path: Path) -> None:
    plugin = tmp_path / "packing.py"
    plugin.write_text(DEEP)
    shown = {name: cli("--plugin", str(plugin), "tools", "show", name).stdout for name in ("pack", "lost", "idle")}
    _, _, told = shown["pack"].partition("Arguments\n")
    lines = told.splitlines()
    assert lines[:5] == [
        "  paths: array of string, required",
        "  to: string, required",
        "  box: object, required  A box.",
        '    size: "small" | "large", required',
        "    inside: array of object, optional",
    ]
    assert '      size: "small" | "large", required' in lines  # and no end of boxes in boxes
    assert '  how: "tight" | "loose", default "loose"' in lines
    assert "  note: string | null, optional" in lines
    assert lines[-2:] == ["  reads <paths>", "  writes <to>"]
    assert shown["lost"].endswith("Effects\n  depend on the arguments\n")
    assert shown["idle"].endswith("Arguments\n  none\n\nEffects\n  none: it touches no file of the workspace\n")
    asked = json.loads(cli("--plugin", str(plugin), "tools", "show", "pack", "--json").stdout)
    assert asked["effects"] == ["reads <paths>", "writes <to>"]


def test_a_call_without_undo_does_not_name_a_mode_that_needs_it(cli: Run) -> None:
    denied = cli("tools", "call", "execute_command", '{"command": "mkdir x"}', "--approve", "auto")
    remedy = json.loads(denied.stdout)["error"]["remedy"]
    assert "[commands.mkdir]" in remedy and "--approve" not in remedy
