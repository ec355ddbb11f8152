"""Names, definitions, settings and what is kept, without any server."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from inarch_mcp.catalog import catalog_of
from inarch_mcp.definitions import SHIPPED, defined, differences, shown, tool_names
from inarch_mcp.mcp_settings import Server, Settings
from inarch_mcp.server_records import Agreed
from inarch_mcp.server_tools import data_of
from inarch_mcp.stdio import LONGEST, Log

import inarch

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
SERVERS = st.sampled_from(["a", "a_b", "a-b", "read", "s" * 32])
SOME = Server(command="some")
PLAIN = {"type": "object"}


@settings(deadline=None, max_examples=settings().max_examples // 3, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(SERVERS, st.text(min_size=1, max_size=80)), unique=True, max_size=12))
def test_names_fit_and_are_never_alike(tools: list[tuple[str, str]]) -> None:
    names = tool_names(tools)
    assert all(NAME.fullmatch(name) for name in names)
    assert len(set(names)) == len(tools)
    assert dict(zip(tools, names, strict=True)) == dict(zip(tools[::-1], tool_names(tools[::-1]), strict=True))


def test_names_are_plain_where_they_can_be() -> None:
    assert tool_names([("time", "get-current-time"), ("my-server", "a.b/c")]) == [
        "time_get_current_time",
        "my_server_a_b_c",
    ]
    assert tool_names([("read", "file")])[0].startswith("read_file_"), "a tool of Inarch's own has that name"


def test_the_names_of_all_tools_of_inarch_are_known(ground: Any) -> None:
    with inarch.compose(root=ground.root, config={}, environ=ground.environ) as app:
        assert {"read_file", "find_callers"} <= app.composition.tools.keys() <= SHIPPED


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=20,
)


@settings(deadline=None, max_examples=settings().max_examples // 3, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.dictionaries(st.sampled_from(["name", "description", "inputSchema", "outputSchema"]), JSON)))
def test_whatever_is_listed_becomes_a_tool_or_a_note(raw: list[dict[str, Any]]) -> None:
    definitions, notes = defined(raw, SOME)
    assert len(definitions) + len(notes) >= len({json.dumps(one.get("name")) for one in raw})
    for one in definitions:
        assert one.input_schema["type"] == "object"
        assert one.description.strip()
        assert inarch.escape(one.description) == one.description
    assert all(inarch.escape(note, keep_newlines=False) == note for note in notes)


def test_values_that_are_compared_stay_as_they_are() -> None:
    schema = {
        "type": "object",
        "properties": {"x": {"enum": ["\u202e", {"description": "\u202e"}], "description": "\u202e"}},
    }
    ((one,), _) = defined([{"name": "t", "inputSchema": schema}], SOME)
    assert one.input_schema["properties"]["x"] == {
        "enum": ["\u202e", {"description": "\u202e"}],
        "description": "\\u202e",
    }


def test_globs_choose() -> None:
    raw = [{"name": name, "inputSchema": PLAIN} for name in ("read_a", "read_b", "write")]
    chosen, _ = defined(raw, Server(command="some", allow=("read_*",), deny=("*_b",)))
    assert [one.tool for one in chosen] == ["read_a"]


@pytest.mark.parametrize(
    ("part", "value", "word"),
    [
        ("description", "other", "description"),
        ("inputSchema", {"type": "object", "properties": {"a": {}}}, "parameters"),
        ("outputSchema", PLAIN, "output"),
        ("annotations", {"readOnlyHint": True}, "hints"),
    ],
)
def test_every_part_of_a_definition_counts(part: str, value: Any, word: str, tmp_path: Path) -> None:
    raw = {"name": "t", "description": "d", "inputSchema": PLAIN}
    (one,), _ = defined([raw], SOME)
    (two,), _ = defined([{**raw, part: value}], SOME)
    assert differences(one.prints, two.prints) == word
    agreed = Agreed(str(tmp_path))
    assert not agreed.changes("s", (one,))
    assert agreed.changes("s", (two,)) == {"t": one.prints}
    agreed.agree("s", two)
    assert not agreed.changes("s", (two,))
    assert agreed.changes("s", (one,)), "and back again, too"


def test_what_was_agreed_to_is_brought_up_beside_a_copy_and_refused_where_it_is_newer(tmp_path: Path) -> None:
    raw = {"name": "t", "inputSchema": PLAIN}
    (one,), _ = defined([{**raw, "description": "a"}], SOME)
    (two,), _ = defined([{**raw, "description": "b"}], SOME)
    folder = tmp_path / "agreed"
    folder.mkdir()
    first = json.dumps({"version": dict(one.prints), "t": dict(one.prints)})  # as the first version wrote it
    (folder / "s.json").write_text(first)
    agreed = Agreed(str(tmp_path))
    assert agreed.changes("s", (two,)) == {"t": one.prints}
    agreed.agree("s", two)
    assert not agreed.changes("s", (two,)) and agreed.changes("s", (one,))
    assert (folder / "s.json.version-0").read_text() == first
    (folder / "s.json").write_text('{"version": 99, "tools": {}}')
    with pytest.raises(inarch.StoreError, match="newer Inarch"):
        agreed.changes("s", (two,))


def test_a_log_keeps_its_last_part(tmp_path: Path) -> None:
    log = Log(tmp_path / "s.log")
    for number in range(600):
        log.add(f"{number} {'x' * 1000}\n".encode())
    assert log.path is not None and log.path.stat().st_size <= LONGEST
    assert log.last_line.startswith("599 ")
    assert shown("\x1b[2J\n") == "\\x1b[2J\\n"


def test_an_isolated_plugin_is_refused_where_it_has_servers(tmp_path: Path) -> None:
    servers = Settings(servers={"a": Server(command="x")})
    with pytest.raises(inarch.ConfigError, match="in-process"):
        catalog_of(inarch.PluginContext("mcp", str(tmp_path), servers))
    off = Settings(servers={"a": Server(command="x", enabled=False)})
    assert catalog_of(inarch.PluginContext("mcp", str(tmp_path), off)).tools == ()


def test_variables_with_keys_are_known_to_be_secret() -> None:
    given_settings = Settings(servers={"a": Server(url="http://127.0.0.1/", headers_env={"authorization": "MY_WORDS"})})
    assert given_settings.keys_env == ("MY_WORDS",)


@pytest.mark.parametrize(
    ("result", "data"),
    [
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "a\nb"),
        ({"content": [{"type": "text", "text": '{"a": 1}'}]}, {"a": 1}),
        ({"content": [{"type": "text", "text": "{a"}]}, "{a"),
        ({"content": [], "structuredContent": {"a": 1}}, {"a": 1}),
        ({"content": [], "structuredContent": None}, None),
        ({}, ""),
    ],
)
def test_results_become_data(result: dict[str, Any], data: Any) -> None:
    assert data_of(result) == data
