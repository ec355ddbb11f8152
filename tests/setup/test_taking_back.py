"""Whatever stands in the files of an agent: set up and taken back, every byte is as it was."""

from __future__ import annotations

import json
import stat
import tempfile
from pathlib import Path
from typing import Any

import tomlkit
from hypothesis import given
from hypothesis import strategies as st

import inarch
from inarch_plugins.setup.agents import AGENTS
from inarch_plugins.setup.insertions import CannotInsert, Insertion, insertion, without
from inarch_plugins.setup.record import read_record
from inarch_plugins.setup.setup_plan import setting_up, taking_back, write_all

SERVER = {"command": "inarch", "args": ["mcp", "serve"]}
OTHER = {"command": "npx", "args": ["-y", "other"]}
NAMES = st.sampled_from(["a", "mcpServers", "mcp_servers", "b c", "é", "model"])
PLAIN = st.recursive(
    st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
SERVERS = st.dictionaries(st.sampled_from(["other", "time", "inarch"]), st.sampled_from([SERVER, OTHER]), max_size=3)


@st.composite
def json_texts(draw: st.DrawFn) -> str:
    data: dict[str, Any] = draw(st.dictionaries(NAMES, PLAIN, max_size=3))
    if draw(st.booleans()):
        data = {**data, "mcpServers": draw(SERVERS)}
    text = json.dumps(data, indent=draw(st.sampled_from([None, 0, 1, 2, 4, "\t"])), ensure_ascii=draw(st.booleans()))
    text = draw(st.sampled_from(["", "\ufeff", "\n", "  "])) + text + draw(st.sampled_from(["", "\n", "\n\n"]))
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


@st.composite
def toml_texts(draw: st.DrawFn) -> str:
    data: dict[str, Any] = {"model": draw(st.text(max_size=5)), "odd": float("nan")} if draw(st.booleans()) else {}
    if draw(st.booleans()):
        data["mcp_servers"] = draw(SERVERS)
    lines = draw(
        st.sampled_from(["", "# mine\n", "a.b = 1 # why\n", "mcp_servers = {}\n", "mcp_servers.x.command = 'y'\n"])
    )
    text = lines + tomlkit.dumps(data) + draw(st.sampled_from(["", "\n", "# end", "  "]))
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


JSON = json_texts().map(str.encode) | st.binary(max_size=40)
TOML = toml_texts().map(str.encode) | st.binary(max_size=40)
TEXT = st.text(st.sampled_from("ab#\n\r \ufeffé`"), max_size=60).map(str.encode) | st.binary(max_size=40)


def everything(folder: Path) -> dict[str, tuple[bytes | None, int]]:
    found = sorted(folder.rglob("*"))
    return {str(one): (one.read_bytes() if one.is_file() else None, stat.S_IMODE(one.stat().st_mode)) for one in found}


@given(
    st.sampled_from(AGENTS), st.none() | JSON, st.none() | TOML, st.none() | TEXT, st.none() | TEXT,
    st.sampled_from([0o600, 0o644, 0o755]),
)  # fmt: skip
def test_taking_back_leaves_every_byte_as_it_was(
    agent: Any, entry: bytes | None, table: bytes | None, guide: bytes | None, skill: bytes | None, mode: int
) -> None:
    with tempfile.TemporaryDirectory() as name:
        root, home = Path(name, "root"), Path(name, "home")
        files = {
            root / ".mcp.json": entry, home / "config.toml": table, root / agent.guide: guide,
            root / agent.skills / "inarch-context" / "SKILL.md": skill,
        }  # fmt: skip
        for folder in (root, home):
            folder.mkdir()
        for path, data in files.items():
            if data is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
                path.chmod(mode)
        before = everything(Path(name))
        record, user = read_record(Path(name, "written.json")), [agent.name, str(root)]
        parts = agent.parts(root, {"CODEX_HOME": str(home)}, SERVER)
        try:
            changes, _ = setting_up(parts, user, record)
        except inarch.UsageError:
            assert everything(Path(name)) == before
            return
        write_all(changes)
        assert not changes or everything(Path(name)) != before
        again, _ = setting_up(parts, user, record)
        assert not again, "a second time there is nothing to do"
        back, told = taking_back(user, record)
        write_all(back)
        assert not [line for line in told if "stays" in line]
        assert everything(Path(name)) == before
        assert not record.files


@given(json_texts(), st.sampled_from(["time", "zone"]), st.sampled_from([None, 2, 4]))
def test_what_a_program_rewrote_since_keeps_everything_else(text: str, name: str, indent: int | None) -> None:
    try:
        put = insertion("json", text, SERVER)
    except CannotInsert:
        return
    if put is None:
        return
    data = json.loads(put.into(text).removeprefix("\ufeff"))
    data["mcpServers"][name] = OTHER
    rewritten = json.dumps(data, indent=indent)
    left = without("json", rewritten, put, SERVER)
    assert left is not None
    del data["mcpServers"]["inarch"]
    assert json.loads(left) == data


def test_an_entry_that_was_changed_is_nobody_s_to_take() -> None:
    put = insertion("json", None, SERVER)
    assert put is not None
    assert without("json", put.text.replace("serve", "list"), put, SERVER) is None
    assert without("toml", "[mcp_servers.inarch]\ncommand = 'mine'\n", Insertion(0, "[x]"), SERVER) is None
