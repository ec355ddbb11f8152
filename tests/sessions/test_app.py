"""The application: composing, tools from scripts, sessions that go on."""

import asyncio
from pathlib import Path

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
