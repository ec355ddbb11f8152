"""What a session changed as a diff, and the way back to a turn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inarch_plugins.undo.session_patch import MOST_LINES, ChangedFile, diff_lines
from inarch_testing.apps import scripted_app
from inarch_testing.scripted import ScriptedModel, calls, says

from .test_session import drive


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place = tmp_path / "root"
    place.mkdir()
    (place / "a.txt").write_text("one\ntwo\nthree\nfour\nfive\nsix\nseven\n")
    return place


def patch(path: str, search: str, replace: str) -> Any:
    return calls(
        ("read_file", {"file_path": path}),
        ("patch_source_file", {"file_path": path, "search": search, "replace": replace, "description": ""}),
    )


def write(path: str, content: str) -> Any:
    return calls(("write_file", {"file_path": path, "content": content}))


SCRIPT = [
    patch("a.txt", "one", "1"),
    says("x"),
    write("b.txt", "new\n"),
    says("y"),
    patch("a.txt", "two", "2"),
    says("z"),
]


def test_the_diff_is_what_undoing_would_take_back_and_leaves_out_what_you_changed(root: Path) -> None:
    async def work(app: Any, model: ScriptedModel) -> None:
        session = app.session()
        for prompt in ("first", "second", "third"):
            await session.run(prompt)
        text = (root / "a.txt").read_text()
        (root / "a.txt").write_text(text.replace("seven", "mine"))
        undoing = session.extension("undo")
        lines = list(diff_lines(undoing.changed()))
        assert [line for line in lines if line[0] in "+-"] == [
            "--- a/a.txt", "+++ b/a.txt", "-one", "-two", "+1", "+2", "--- /dev/null", "+++ b/b.txt", "+new",
        ]  # fmt: skip
        assert [line for line in diff_lines(undoing.changed("1")) if line[0] in "+-"][2:] == ["-one", "+1"]
        wanted = {file.path: file.before for file in undoing.changed()}
        assert undoing.rewind("1").done
        assert (root / "a.txt").read_bytes() == wanted["a.txt"] and not (root / "b.txt").exists()
        assert "mine" in (root / "a.txt").read_text()
        assert undoing.changed() == []

    drive(root, SCRIPT, work)


def test_the_way_back_to_a_turn_takes_back_it_and_those_after_it(root: Path) -> None:
    async def work(app: Any, model: ScriptedModel) -> None:
        session = app.session()
        for prompt in ("first", "second", "third"):
            await session.run(prompt)
        undoing = session.extension("undo")
        before = (root / "a.txt").read_bytes()
        assert {file.path for file in undoing.rewind("2", dry_run=True).files} == {"a.txt", "b.txt"}
        assert (root / "a.txt").read_bytes() == before
        report = undoing.rewind("2")
        assert report.done and len(report.what) == 2
        assert (root / "a.txt").read_text().startswith("1\ntwo\n") and not (root / "b.txt").exists()
        assert session.redo().done
        assert (root / "a.txt").read_bytes() == before and (root / "b.txt").exists()

    drive(root, SCRIPT, work)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (b"x", b"x\n", ["-x", "\\ No newline at end of file", "+x"]),
        (None, b"", []),
        (b"\0", b"x", ["binary or big: a/f (1 bytes) and b/f (1 bytes)"]),
        (None, b"\xff", ["binary or big: /dev/null (not there) and b/f (1 bytes)"]),
        (b"a", b"a", ["the mode of f changed"]),
    ],
)
def test_what_has_no_lines_is_told(before: bytes | None, after: bytes, said: list[str]) -> None:
    lines = list(diff_lines([ChangedFile("f", before, after)]))
    assert [line for line in lines if not line.startswith(("--- ", "+++ ", "@@"))] == said


def test_a_long_diff_is_cut_and_says_so() -> None:
    lines = list(diff_lines([ChangedFile("f", None, b"x\n" * 5_000)]))
    assert len(lines) == MOST_LINES + 1 and lines[-1] == "… 3,003 more lines"


def test_the_slash_commands_show_and_list(root: Path) -> None:
    from asyncio import Runner

    from inarch.program.chat_launch import Launched
    from inarch.program.composer import Options
    from inarch_plugins.terminal.slash.talk import SlashCommands, Talk

    app, _ = scripted_app(SCRIPT, root, flags={"approve": "all"})
    shown: list[str] = []
    with Runner() as runner:
        session = app.session()
        slash = SlashCommands(Talk(app, session, Launched(Options()), shown.append, lambda: 60))

        def said(line: str) -> str:
            shown.clear()
            runner.run(slash.run(line))
            return "".join(shown)

        assert said("/diff") == "this session has changed no files\n"
        assert said("/rewind") == "no turn has changed files\n"
        runner.run(session.run("the first of the prompts, which is longer than the line is wide, so it is cut"))
        runner.run(session.run("second"))
        assert "+new" in said("/diff") and "+1" in said("/diff 1") and "+new" not in said("/diff 1")
        listed = said("/rewind").splitlines()
        assert listed[0].startswith("  1  the first") and listed[0].endswith("(1 file)") and len(listed[0]) <= 60
        assert listed[1] == "  2  second  (1 file)"
        offered = runner.run(app.completions(session, "/rewind "))
        assert [number for number, _ in offered] == ["2", "1"] and offered[0][1] == "second (b.txt)"
        assert "undone: turn 2" in said("/rewind 2")
        assert [number for number, _ in runner.run(app.completions(session, "/rewind "))] == ["1"]
        assert "undone: turn 1" in said("/rewind 1") and not runner.run(app.completions(session, "/rewind "))
        assert "redone" in said("/redo") and "redone" in said("/redo")
        assert "undone: turn 2" in said("/rewind 1")
        assert (root / "a.txt").read_text().startswith("one\n")
        assert "(1 file, undone)" in said("/rewind")
        runner.run(app.aclose())
