"""The parts of the server that need no process: prompts, diffs, and the wire."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from acp import schema
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from inarch_acp.prompts import fenced, read_prompt
from inarch_acp.tool_calls import ShownCall
from inarch_acp.wire import plain

import inarch

PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp"], exclude_characters="/\0"),
                min_size=1, max_size=20).filter(lambda name: name not in (".", ".."))  # fmt: skip


@PATIENT
@given(st.text() | st.lists(st.sampled_from(["`", "```", "\n", "a", "````\n"])).map("".join))
def test_nothing_in_a_fence_ends_it(text: str) -> None:
    begin, *lines, end = fenced(text).split("\n")
    assert begin == end
    assert set(begin) == {"`"}
    assert "\n".join(lines) == text.removesuffix("\n")
    assert all(len(run) < len(begin) for run in re.findall("`+", text))


@PATIENT
@given(NAMES)
def test_a_link_to_a_file_of_the_workspace_is_a_mention_of_it(name: str) -> None:
    link = schema.ResourceContentBlock(type="resource_link", name="x", uri=Path("/w/s", name).as_uri())
    text = read_prompt([link], "/w").text
    (word,) = re.findall(r" @((?:\\.|[^\s\\])+) ", text)
    assert re.sub(r"\\(.)", r"\1", word) == f"s/{name}"


@pytest.mark.parametrize(
    ("uri", "said"),
    [
        ("file:///w/a.py#L3:7", " @a.py (lines 3 to 7) "),
        ("file:///w/a.py#L3", " @a.py (line 3) "),
        ("file:///w", " @./ "),
        ("file:///elsewhere/a.py", "[x](file:///elsewhere/a.py)"),
        ("file:///w/../etc/passwd", "[x](file:///w/../etc/passwd)"),
        ("file://host/w/a.py", "[x](file://host/w/a.py)"),
        ("http://[", "[x](http://[)"),
        ("zed:///agent/thread/1", "[x](zed:///agent/thread/1)"),
    ],
)
def test_links_of_every_kind(uri: str, said: str) -> None:
    assert read_prompt([schema.ResourceContentBlock(type="resource_link", name="x", uri=uri)], "/w").text == said


def test_titles_are_one_harmless_line_and_places_are_absolute() -> None:
    call = ShownCall("1", "read_file", {"file_path": "a\x1b[2J\nb", "start_line": 7}, "file")
    assert "\x1b" not in call.title
    assert "\n" not in call.title
    ((place),) = ShownCall("1", "read_file", {"file_path": "s/a", "start_line": 7}, "file").locations("/w")
    assert (place.path, place.line) == ("/w/s/a", 7)
    odd = ShownCall("1", "move_file", {"file_path": 7, "new_path": ["x"], "path": "\0"}, "file")
    assert odd.locations("/w") == []
    long = ShownCall("1", "execute_command", {"command": "x" * 1000}, "command")
    assert len(long.title) < 200
    shown = ShownCall("1", "read_file", {}, "file").outcome(inarch.ToolResult(True, "\udc80"), "/w")
    assert "udc80" in shown[0].model_dump_json()


@PATIENT
@given(st.recursive(st.none() | st.integers() | st.text(st.characters()), lambda inner: st.lists(inner) |
                    st.dictionaries(st.text(st.characters()), inner), max_leaves=5))  # fmt: skip
def test_plain_data_can_always_be_sent(value: object) -> None:
    json.dumps(plain(value), ensure_ascii=False).encode("utf-8")
