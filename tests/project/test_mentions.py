"""`@file` and `@dir/`."""

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch.testing import says, scripted_app
from inarch_project.mentions import mentioned_words


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ("explain @src/a.py please", ["src/a.py"]),
        ("@a.py and @b/ and @a.py", ["a.py", "b/"]),
        (r"read @my\ file.txt now", ["my file.txt"]),
        ("mail me@example.org", []),
        ("what is @? or @", []),
        ("why does this fail?\n\n```\n@app.route('/')\ndef f(): ...\n```\nsee @app.py", ["app.py"]),
        ("look\n````\n```\n@a\n```\n@b\n````", []),
    ],
)
def test_mentions_are_found(prompt: str, words: list[str]) -> None:
    assert mentioned_words(prompt) == words


@given(st.text())
def test_any_prompt_is_survived(prompt: str) -> None:
    assert all(mentioned_words(prompt))


def first_user_text(prompt: str, root: Path) -> str:
    app, model = scripted_app([says("ok")], root)

    async def go() -> str:
        turn = await app.session().run(prompt)
        assert turn.status == "done"
        await app.aclose()
        return "\n".join(getattr(part, "text", "") for part in model.requests[0].messages[0].parts)

    return asyncio.run(go())


def test_mentioned_files_are_in_the_first_request(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "a.py").write_text("ALPHA = 1\n")
    (tmp_path / "my notes.txt").write_text("remember\n")
    text = first_user_text(r"compare @pkg/ with @my\ notes.txt, and @gone.py.", tmp_path)
    assert "ALPHA = 1" in text
    assert "remember" in text
    assert "@gone.py.: there is no such file or directory" in text


def test_ignored_and_escaping_mentions_are_told_not_read(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("secret.txt\n")
    (tmp_path / "secret.txt").write_text("hidden words")
    text = first_user_text("see @secret.txt and @../outside.txt", tmp_path)
    assert "hidden words" not in text
    assert "@secret.txt: skipped" in text
    assert "@../outside.txt:" in text


def test_what_could_not_be_added_is_told_to_the_user_as_well(tmp_path: Path) -> None:
    (tmp_path / "there.txt").write_text("here\n")
    (tmp_path / "empty").mkdir()
    app, _ = scripted_app([says("ok")], tmp_path)

    async def go() -> list[str]:
        session = app.session()
        events = [event async for event in session.stream("see @there.txt, @missing.png and @empty/")]
        await app.aclose()
        return [event.data["text"] for event in events if event.kind == "note" and event.data["source"] == "mentions"]

    assert asyncio.run(go()) == ["@missing.png: there is no such file or directory", "@empty/: no files in it"]


def test_a_large_directory_is_bounded(tmp_path: Path) -> None:
    for number in range(40):
        (tmp_path / f"f{number:02}.txt").write_text(f"content {number}\n")
    text = first_user_text("look at @./", tmp_path)
    assert "content 5" in text
    assert "content 39" not in text
    assert "more files" in text
