"""`@file` and `@dir/`."""

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import inarch
from inarch.testing import says, scripted_app
from inarch_plugins.project.mentions import mentioned_words, resolve
from inarch_plugins.sandbox_fs.workspace import FolderWorkspace


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


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> inarch.Workspace:
    folder = tmp_path_factory.mktemp("small")
    (folder / "a").write_text("1\n2")
    return FolderWorkspace.open(str(folder))


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


def test_a_mention_reads_a_resource_if_a_tool_reads_those_of_its_server(tmp_path: Path) -> None:
    schema = {
        "type": "object",
        "properties": {"server": {"enum": ["docs"]}, "uri": {"type": "string"}},
        "required": ["server", "uri"],
    }

    @inarch.tool(name="read_it", input_schema=schema, effects=inarch.Effects())
    def read_it(server: str, uri: str) -> str:
        """Read a resource."""
        return f"{server} has {uri}"

    app, model = scripted_app([says("ok")], tmp_path)
    app.composition = app.composition.adding("tools", read_it, inarch.PluginContext("own", str(tmp_path)))
    asyncio.run(app.session().run("see @docs:guide://start. and @other:guide://start"))
    asyncio.run(app.aclose())
    text = model.requests[0].messages[0].text
    assert "docs has guide://start" in text
    assert "@other:guide://start: there is no such file" in text and "@docs:guide://start.: " not in text


LINES = "".join(f"line {number}\n" for number in range(1, 11))


@pytest.mark.parametrize(
    ("word", "first", "last"),
    [("a.txt:2-8", 2, 8), ("a.txt:2", 2, 2), ("a.txt:9-99,", 9, 10), ("a.txt:2-8).", 2, 8), ("./a.txt:1", 1, 1)],
)
def test_lines_of_a_file_are_mentioned(tmp_path: Path, word: str, first: int, last: int) -> None:
    (tmp_path / "a.txt").write_text(LINES)
    text = first_user_text(f"see @{word}", tmp_path)
    assert [f"line {number}\n" in f"{text}\n" for number in range(1, 11)] == [
        first <= number <= last for number in range(1, 11)
    ]


@pytest.mark.parametrize(
    ("word", "note"),
    [
        ("a.txt:8-2", "lines are counted from 1, and the first of them comes first"),
        ("a.txt:0", "lines are counted from 1, and the first of them comes first"),
        ("a.txt:11", "a.txt has 10 lines"),
        ("a.txt:2-", "'2-' does not name lines: write a.txt:2 or a.txt:2-8"),
        ("a.txt:second", "'second' does not name lines: write a.txt:2 or a.txt:2-8"),
        ("a.txt:9999999999999", "'9999999999999' does not name lines: write a.txt:2 or a.txt:2-8"),
        ("pkg:2", "pkg is not a text file, so it has no lines"),
        ("p.png:2", "p.png is not a text file, so it has no lines"),
        ("hidden.txt:2", "skipped: git ignores it (read_file still can read it)"),
        ("gone.txt:2", "there is no such file or directory"),
    ],
)
def test_lines_that_are_not_there_are_reported(tmp_path: Path, word: str, note: str) -> None:
    (tmp_path / "a.txt").write_text(LINES)
    (tmp_path / "p.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (tmp_path / "pkg").mkdir()
    (tmp_path / ".gitignore").write_text("hidden.txt\n")
    (tmp_path / ".git").mkdir()
    (tmp_path / "hidden.txt").write_text(LINES)
    text = first_user_text(f"see @{word}", tmp_path)
    assert f"@{word}: {note}" in text and "line 2" not in text


@given(st.text(alphabet="a.:-0123456789 /", max_size=12))
def test_any_mention_is_resolved(small: inarch.Workspace, word: str) -> None:
    for mentioned in mentioned_words(f"@{word}"):
        found = resolve(mentioned, small)
        assert found.is_missed != bool(found.files)
        assert found.lines is None or (found.files == ("a",) and 1 <= found.lines[0] <= 2)


def test_ignored_and_escaping_mentions_are_reported_not_read(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("secret.txt\n")
    (tmp_path / ".git").mkdir()
    (tmp_path / "secret.txt").write_text("hidden words")
    text = first_user_text("see @secret.txt and @../outside.txt", tmp_path)
    assert "hidden words" not in text
    assert "@secret.txt: skipped" in text
    assert "@../outside.txt:" in text
