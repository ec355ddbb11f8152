"""What a plugin adds to sessions: made for each, for open ones and for kept ones, within what sessions allow."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

import inarch
from inarch.testing import says, scripted_app

MARKING = str(Path(__file__).with_name("marking.py"))


@pytest.fixture
def app(tmp_path: Path) -> Any:
    (tmp_path / "root").mkdir()
    app, _ = scripted_app([says("one"), says("two")], tmp_path / "root", files=(MARKING,), journal=True)
    assert not app.composition.refused
    with app:
        yield app


def test_a_session_has_one_of_its_own(app: inarch.App) -> None:
    first, second = app.session(), app.session()
    first.extension("bookmarks").add("here")
    assert first.extension("bookmarks") is first.extension("bookmarks")
    assert first.extension("bookmarks").names() == ["here"]
    assert second.extension("bookmarks").names() == []


def test_a_kept_session_has_it_without_being_opened(app: inarch.App) -> None:
    session = app.session()
    asyncio.run(session.run("hello"))
    session.extension("bookmarks").add("here")
    app.extension(session.id, "bookmarks").add("there")
    assert app.extension(session.id, "bookmarks").names() == ["here", "there"]
    with pytest.raises(ValueError, match=r"event marking\.set: text: '' "):
        app.extension(session.id, "bookmarks").add("")
    assert app.session(session.id).extension("bookmarks").names() == ["here", "there"]


def test_it_is_not_alone_while_a_turn_runs(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    found: list[str] = []

    class Front:
        name = "front"

        def show(self, event: inarch.Event) -> None:
            if event.kind == "turn.ended" and not found:
                with pytest.raises(inarch.UsageError, match="a turn is running") as raised:
                    session.extension("bookmarks").add("too early")
                found.append(raised.value.remedy)

        async def approve(self, batch: Any) -> Any:
            return []

        def close(self) -> None: ...

    app, _ = scripted_app([says("one")], tmp_path / "root", files=(MARKING,), journal=True, front_end=Front())
    with app:
        session = app.session()
        asyncio.run(session.run("hello"))
        session.extension("bookmarks").add("now")
        assert session.extension("bookmarks").names() == ["now"]
    assert found == ["set the bookmark when it has ended"]


def test_what_it_does_to_files_is_recorded_and_can_be_done_again(app: inarch.App) -> None:
    place = Path(app.config.root, "notes.txt")
    place.write_text("keep me\n")
    session = app.session()
    assert session.extension("bookmarks").empty("notes.txt") == []
    assert not place.exists()
    kinds = [event.kind for event in app.store.load(session.id)]
    assert kinds[-2:] == ["changes.undone", "file.changed"]
    (changed,) = [event.data for event in app.store.load(session.id) if event.kind == "file.changed"]
    assert changed["kept"] and app.store.get_blob(session.id, changed["before"]) == b"keep me\n"


def test_one_that_is_not_there_or_fails_is_told_in_a_line(app: inarch.App) -> None:
    session = app.session()
    with pytest.raises(inarch.UsageError, match="no plugin provides the session extension 'lost'"):
        session.extension("lost")
    with pytest.raises(inarch.PluginError, match="plugin 'marking' failed at extension: ValueError: no bookmarks"):
        session.extension("broken")


@pytest.mark.parametrize("options", [{"without": ["undo"]}, {"builtins": False}], ids=["undo", "all"])
def test_without_the_part_undo_says_so_in_one_line(tmp_path: Path, options: dict[str, Any]) -> None:
    app, _ = scripted_app([says("one")], tmp_path, **options)
    with app:
        session = app.session()
        for verb in (session.undo, session.redo):
            with pytest.raises(inarch.UsageError) as raised:
                verb()
            assert "belongs to the built-in part 'undo', which is left out" in raised.value.message
            assert "\n" not in str(raised.value)
        asyncio.run(session.run("hello"))
