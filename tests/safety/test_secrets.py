"""A whole session about a folder with secrets: afterwards nothing that was kept, sent or shown has one of them."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import os
import random
import sqlite3
import string
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

import inarch
from inarch.contract.codec import to_data
from inarch.contract.records import PluginContext
from inarch.plugins.registration import Bound
from inarch.testing import calls, says, scripted_app

_LOT = random.Random(42)


def drawn(length: int = 24) -> str:
    return "A1b2" + "".join(_LOT.choice(string.ascii_letters + string.digits) for _ in range(length - 4))


class Place:
    """A workspace with secrets in several places, and where its state goes."""

    def __init__(self, folder: Path) -> None:
        self.root, self.state = folder / "work", folder / "state"
        self.password, self.deep, self.token, self.key = drawn(), drawn(), "ghp_" + drawn(36), "hush-hush-" + drawn()
        (self.root / "a/b/c/d").mkdir(parents=True)
        (self.root / ".env").write_text(f"DEBUG=true\nDB_PASSWORD={self.password}\nPORT=8000\n")
        (self.root / "a/b/c/d/.env.local").write_text(f"SESSION_SECRET='{self.deep}'\n")
        (self.root / "notes.txt").write_text(f"the token is {self.token}\n")
        self.environ = {"XDG_STATE_HOME": str(self.state), "HOME": str(folder), "ACME_API_KEY": self.key}

    @property
    def secrets(self) -> tuple[str, ...]:
        return self.password, self.deep, self.token, self.key

    def config(self) -> dict[str, Any]:
        return {"profiles": {"default": {"plugins": ["sandbox-fs", "sqlite-store", "jsonl-logger"], "approve": "all"}}}

    def leaks(self, *texts: str) -> list[str]:
        """Return where a secret stands in texts and in the state folder, images of files apart: they are raw."""
        kept = {str(path): _kept(path) for path in self.state.rglob("*") if path.is_file()}
        said = {f"text {number}": text.encode("utf-8", "replace") for number, text in enumerate(texts)}
        shapes = [shape for value in self.secrets for shape in (value, base64.b64encode(value.encode()).decode())]
        return [place for place, data in {**kept, **said}.items() if any(shape.encode() in data for shape in shapes)]


def _kept(path: Path) -> bytes:
    """Return what a file of the state folder has; of the store, everything but the images, which only undo reads."""
    if not path.name.startswith("sessions.db"):
        return path.read_bytes()
    if path.name != "sessions.db":  # the log beside it, which the database is read with
        return b""
    assert path.stat().st_mode & 0o777 == 0o600
    with closing(sqlite3.connect(path)) as database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        assert {"events", "blobs"} <= {*tables}
        rows = [row for name in tables if name != "blobs" for row in database.execute(f"SELECT * FROM {name}")]
    return b"\n".join(value if isinstance(value, bytes) else str(value).encode() for row in rows for value in row)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@inarch.tool(category="other")
def leak(context: inarch.ToolContext, values: list[str], how: str) -> dict[str, Any]:
    """Give secrets away in the way that is wanted."""
    values = [*values, *(value for name, value in os.environ.items() if name == "LEAK_TOKEN")]
    if how == "traceback":
        raise RuntimeError(f"could not log in with {values}")
    if how == "base64":
        return {"data": base64.b64encode(json.dumps(values).encode()).decode()}
    if how == "key":
        return dict.fromkeys(values, 1)
    for value in values:
        for letter in f"<{value}>":
            context.emit(letter)
    return {"env": "\n".join(f"NAME={value}" for value in values)}


def session(place: Place, script: list[Any], **options: Any) -> tuple[Any, Any, list[Any]]:
    app, model = scripted_app(script, place.root, journal=True, environ=place.environ, config=place.config(), **options)
    tools = {**app.composition.tools, "leak": Bound("leaky", leak, PluginContext("leaky", str(place.root)))}
    app.composition = evolve(app.composition, tools=tools)
    return app, model, []


def run(app: Any, *prompts: str) -> list[Any]:
    async def go() -> list[Any]:
        talk = app.session()
        try:
            return [await talk.run(prompt) for prompt in prompts]
        finally:
            await app.aclose()

    return asyncio.run(go())


def test_nothing_of_a_session_holds_a_secret(place: Place, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    values = list(place.secrets)
    script = [
        calls(
            ("read_file", {"file_path": ".env"}),
            ("read_file", {"file_path": "a/b/c/d/.env.local"}),
            ("read_file", {"file_path": "notes.txt"}),
            ("search_files", {"pattern": "="}),
        ),
        calls(*(("leak", {"values": values, "how": how}) for how in ("traceback", "base64", "key", "dump"))),
        says(f"the password is {place.password}"),
        says("again"),
    ]
    app, model, _ = session(place, script)
    turns = run(app, f"what is {place.key} good for? @notes.txt", "and now?")
    sent = json.dumps([to_data(request) for request in model.requests], ensure_ascii=False)
    told = json.dumps(to_data(turns[0].content)) + caplog.text
    assert len(model.requests) == 4
    assert place.leaks(sent, told) == []
    for name in ("DB_PASSWORD", "SESSION_SECRET", "github-token:1", "ACME_API_KEY"):
        assert f"‹secret:{name}›" in sent
    assert "DEBUG=true" in sent and "PORT=8000" in sent


def test_an_edit_beside_a_secret_leaves_the_secret_as_it_is(place: Place) -> None:
    script = [
        calls(("read_file", {"file_path": ".env"})),
        calls(("patch_source_file", {
            "file_path": ".env", "search": "DEBUG=true\nDB_PASSWORD=‹secret:DB_PASSWORD›",
            "replace": "DEBUG=false\nDB_PASSWORD=‹secret:DB_PASSWORD›", "description": "",
        })),
        calls(("write_file", {"file_path": ".env", "content": "DB_PASSWORD=‹secret:DB_PASSWORD›\nPORT=9000\n"})),
        says("done"),
    ]  # fmt: skip
    app, model, _ = session(place, script)
    (turn,) = run(app, "turn debugging off")
    assert [call.status for call in turn.calls] == ["success"] * 3
    assert (place.root / ".env").read_text() == f"DB_PASSWORD={place.password}\nPORT=9000\n"
    assert place.leaks(json.dumps(to_data(model.requests[-1]), ensure_ascii=False)) == []


@pytest.mark.parametrize("word", ["‹secret:DB_PASSWORD›", "‹secret:ACME_API_KEY›", "‹secret:github-token:7›"])
@pytest.mark.parametrize("tool", ["create_file", "write_file"])
def test_a_secret_goes_into_no_file_where_it_did_not_stand(place: Place, word: str, tool: str) -> None:
    script = [calls((tool, {"file_path": "other.txt", "content": f"it is {word}\n"})), says("done")]
    app, _, _ = session(place, script)
    (turn,) = run(app, "copy it")
    (call,) = turn.calls
    assert call.result.error.code == "permission"
    assert word in call.result.error.message
    assert not (place.root / "other.txt").exists()


def test_the_command_line_shows_no_secret(place: Place) -> None:
    environ = {**os.environ, **place.environ, "INARCH_LOG": "debug", "XDG_CONFIG_HOME": str(place.state / "config")}
    command = [sys.executable, "-P", "-m", "inarch", "tools", "call", "--root", str(place.root)]
    said = ""
    for path in (".env", "a/b/c/d/.env.local", "notes.txt"):
        done = subprocess.run(
            [*command, "read_file", json.dumps({"file_path": path})], env=environ, capture_output=True, check=True
        )
        said += done.stdout.decode() + done.stderr.decode()
    for output in ("text", "json", "jsonl"):
        words = [
            "ask",
            "--output",
            output,
            "--model",
            "offline/extractive",
            "--root",
            str(place.root),
            "show",
            "@.env",
            "@notes.txt",
        ]
        done = subprocess.run(
            [sys.executable, "-P", "-m", "inarch", *words], env=environ, capture_output=True, check=False
        )
        said += done.stdout.decode() + done.stderr.decode()
    assert "DEBUG=true" in said
    assert place.leaks(said) == []


def test_a_session_that_goes_on_gives_old_numbers_to_no_other_secret(place: Place) -> None:
    app, _, _ = session(place, [calls(("read_file", {"file_path": "notes.txt"})), says("done")])
    (turn,) = run(app, "read it")
    (place.root / "notes.txt").write_text(f"another: ghp_{drawn(36)}\n")
    app, model, _ = session(place, [calls(("read_file", {"file_path": "notes.txt"})), says("done")])

    async def go() -> None:
        talk = app.session(turn.session_id)
        try:
            await talk.run("read it again")
        finally:
            await app.aclose()

    asyncio.run(go())
    assert "‹secret:github-token:2›" in json.dumps(to_data(model.requests[-1]), ensure_ascii=False)


def test_commands_show_no_secret(place: Place) -> None:
    wanted = ("cat .env", "cat a/b/c/d/.env.local", "grep -rn SECRET .", "cat notes.txt")
    app, model, _ = session(place, [calls(*(("execute_command", {"command": line}) for line in wanted)), says("done")])
    (turn,) = run(app, "look around")
    sent = json.dumps(to_data(model.requests[-1]), ensure_ascii=False)
    assert [call.status for call in turn.calls] == ["success"] * len(wanted)
    assert "PORT=8000" in sent and "SESSION_SECRET" in sent
    assert place.leaks(sent) == []


def test_a_key_that_a_call_reads_first_is_known_before_its_result_is_shown(place: Place) -> None:
    script = [calls(("read_multiple_files", {"file_paths": ["a/b/c/d/.env.local"]})), says("done")]
    app, model, _ = session(place, script)
    run(app, "read it")
    assert place.leaks(json.dumps(to_data(model.requests[-1]), ensure_ascii=False)) == []
