"""The application: composing, tools from scripts, sessions that go on."""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

import inarch
from inarch.testing import says, scripted_app


def test_the_library_answers_without_a_key(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# Acme\n\nAcme makes tables.\n")
    turn = inarch.run("summarize this codebase", root=tmp_path, config={}, journal=False)
    assert turn.status == "done"
    assert "README.md:" in turn.content
    assert turn.model == "offline/extractive"


@pytest.mark.parametrize("what", ["gone", "file"])
def test_a_wrong_root_is_a_usage_error(tmp_path: Path, what: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(inarch.UsageError, match="--root"):
        inarch.compose(root=tmp_path / what, config={})


def test_a_tool_can_be_called_from_a_script(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("alpha\n")
    app = inarch.compose(root=tmp_path, config={}, journal=False)

    async def go() -> tuple[inarch.ToolResult, inarch.ToolResult]:
        read = await app.call_tool("read_file", {"path": "a.txt"})
        write = await app.call_tool("write_file", {"file_path": "b.txt", "content": "x"})
        await app.aclose()
        return read, write

    read, write = asyncio.run(go())
    assert read.success and read.data["content"] == "alpha\n"
    assert write.error is not None and write.error.code == "denied"
    assert "approve" in write.error.message + write.error.remedy
    assert not (tmp_path / "b.txt").exists()


def test_a_session_is_resumed_with_what_was_said_and_seen(tmp_path: Path) -> None:
    root, state = tmp_path / "root", tmp_path / "state"
    root.mkdir()
    environ = {"XDG_STATE_HOME": str(state), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    options: dict[str, Any] = {"journal": True, "environ": environ}

    async def first() -> str:
        app, _ = scripted_app([says("one")], root, **options)
        session = app.session()
        await session.run("first question")
        await app.aclose()
        return session.id

    async def second(session_id: str) -> list[str]:
        app, model = scripted_app([says("two")], root, **options)
        session = app.session(session_id)
        await session.run("second question")
        await app.aclose()
        return [message.text for message in model.requests[0].messages]

    texts = asyncio.run(second(asyncio.run(first())))
    assert texts[0].startswith("first question")
    assert texts[1] == "one"
    assert texts[2].startswith("second question")
    assert all(path.stat().st_mode & 0o077 == 0 for path in state.rglob("*") if path.is_file())


def test_an_unknown_session_is_a_usage_error(tmp_path: Path) -> None:
    app, _ = scripted_app([], tmp_path)
    with pytest.raises(inarch.UsageError, match="no session"):
        app.session("0000")


def test_a_tracer_that_fails_is_dropped_and_the_turn_goes_on(tmp_path: Path) -> None:
    plugin = tmp_path / "broken_tracer.py"
    plugin.write_text(
        "import inarch\n"
        "class Broken:\n"
        "    name = 'broken'\n"
        "    def saw(self, event): raise OSError('disk full')\n"
        "    def summary(self, turn_id): return None\n"
        "    def close(self): pass\n"
        "@inarch.hookimpl\n"
        "def inarch_tracers(context): return [Broken()]\n"
    )
    root = tmp_path / "root"
    root.mkdir()
    environ = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "XDG_STATE_HOME": str(tmp_path / "state")}
    app, _ = scripted_app([says("fine")], root, files=[str(plugin)], environ=environ)

    async def go() -> tuple[inarch.Turn, list[inarch.Event]]:
        session = app.session()
        events = [event async for event in session.stream("go")]
        loaded = app.store.load(session.id)
        await app.aclose()
        return session.turns[-1], [*events, *loaded]

    turn, events = asyncio.run(go())
    assert turn.content == "fine"
    errors = {event.data["message"] for event in events if event.kind == "error"}
    assert len(errors) == 1
    assert "disk full" in errors.pop()


def test_secrets_of_the_environment_are_placeholders_from_the_first_event_on(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.txt").write_text("the key is sk-very-secret-value\n")
    environ = {"ACME_API_KEY": "sk-very-secret-value", "XDG_STATE_HOME": str(tmp_path / "state")}
    app, _ = scripted_app([says("it is sk-very-secret-value")], root, journal=True, environ=environ)

    async def go() -> None:
        await app.session().run("what about sk-very-secret-value in @a.txt")
        await app.aclose()

    asyncio.run(go())
    kept = b"".join(
        Path(folder, name).read_bytes() for folder, _, names in os.walk(tmp_path / "state") for name in names
    )
    assert b"what about" in kept
    assert b"sk-very-secret-value" not in kept


def test_the_memory_store_can_be_opened_by_name(tmp_path: Path) -> None:
    store = inarch.open_store("memory", tmp_path)
    assert store.sessions() == []


def test_a_store_of_a_plugin_can_be_opened_by_name(tmp_path: Path) -> None:
    store = inarch.open_store("sqlite-store", tmp_path / "state")
    event = inarch.Event(1, inarch.utc_now(), "s", None, "note", {"text": "hello"})
    store.append("s", [event])
    store.close()
    again = inarch.open_store("sqlite-store", tmp_path / "state")
    assert [item.data["text"] for item in again.load("s")] == ["hello"]
    again.close()


def test_an_unknown_store_or_strategy_is_named(tmp_path: Path) -> None:
    with pytest.raises(inarch.ConfigError, match="nowhere"):
        inarch.open_store("nowhere", tmp_path)
    app = inarch.compose(root=tmp_path, config={"profiles": {"default": {"strategy": ["natve"]}}}, journal=False)
    with pytest.raises(inarch.ConfigError, match="natve"):
        app.session()


def test_a_person_may_patch_a_file_that_no_session_has_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("alpha\nbeta\n")
    app = inarch.compose(root=tmp_path, config={}, journal=False, flags={"approve": "edits"})

    async def go() -> list[inarch.ToolResult]:
        results = [
            await app.call_tool("patch_source_file", {"path": "a.txt", "search": "alpha", "replace": "ALPHA"}),
            await app.call_tool("patch_source_file", {"file_path": "gone.txt", "search": "a", "replace": "b"}),
            await app.call_tool("nothing", {}),
        ]
        await app.aclose()
        return results

    patched, gone, unknown = asyncio.run(go())
    assert patched.success, patched.error
    assert (tmp_path / "a.txt").read_text() == "ALPHA\nbeta\n"
    assert gone.error is not None and gone.error.code == "not_found"
    assert unknown.error is not None and unknown.error.code == "not_found"
