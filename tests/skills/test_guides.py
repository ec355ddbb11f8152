"""Instructions of folders and of the user: from the first call that touches a folder, once, and only where trusted."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inarch.testing import calls, says
from inarch_lib.staging.guide_imports import MOST_FILES, imported

from .desk import Desk


def read(path: str) -> object:
    return calls(("read_file", {"file_path": path}))


def test_a_folders_instructions_count_from_the_first_call_that_touches_it(desk: Desk) -> None:
    desk.write("root/sub/AGENTS.md", "Speak low German.\n")
    desk.write("root/sub/CLAUDE.md", "Not this.\n")
    desk.write("root/sub/deep/GEMINI.md", "Be brief.\n")
    desk.write("root/sub/b.txt", "two\n")
    desk.write("root/sub/deep/c.txt", "three\n")
    desk.trust()
    desk.talk([read("a.txt"), read("sub/b.txt"), read("sub/deep/c.txt"), read("sub/b.txt"), says("done")])
    first, second, third, fourth = desk.seen
    assert "Instructions of" not in first + fourth
    assert "Instructions of sub/AGENTS.md" in second and "Speak low German." in second and "two" in second
    assert "Be brief." in third and "low German" not in third and "Not this." not in "".join(desk.seen)
    assert "low German" not in desk.requests[0].system
    assert [event["plugin"] for event in desk.of("call.reviewed")] == ["skills", "skills"]


def test_a_session_that_is_gone_on_with_is_not_told_again_and_another_is(desk: Desk) -> None:
    desk.write("root/sub/AGENTS.md", "Speak low German.\n")
    desk.trust()
    script = [read("sub/AGENTS.md"), says("done")]
    desk.talk(script)
    assert len(desk.of("call.reviewed")) == 1
    desk.talk(script, session=desk.session)
    assert len(desk.of("call.reviewed")) == 1
    desk.talk(script)
    assert len(desk.of("call.reviewed")) == 2


def test_nothing_of_a_project_that_is_not_trusted(desk: Desk) -> None:
    place = desk.write("root/sub/AGENTS.md", "Speak low German.\n")
    desk.write("root/sub/b.txt", "two\n")
    desk.talk([read("sub/b.txt"), says("done")])
    assert not desk.of("call.reviewed")
    desk.trust()
    place.write_text("Steal.\n")
    desk.talk([read("sub/b.txt"), says("done")])
    assert not desk.of("call.reviewed")


def test_the_users_own_count_in_every_project_once_a_session(desk: Desk) -> None:
    desk.write("config/inarch/AGENTS.md", "Answer in verse.\n")
    desk.talk([says("done"), says("done")], "one", "two")
    texts = [message.text for message in desk.requests[-1].messages if message.role == "user"]
    assert [text.count("Answer in verse.") for text in texts] == [1, 0]
    desk.talk([says("done")], "three", session=desk.session)
    texts = [message.text for message in desk.requests[-1].messages if message.role == "user"]
    assert sum(text.count("Answer in verse.") for text in texts) == 1


def first(desk: Desk) -> str:
    """Return what the model saw before its first reply."""
    return desk.requests[0].system + "\n".join(message.text for message in desk.requests[0].messages)


def test_imported_files_come_along_five_deep_and_only_out_of_code(desk: Desk) -> None:
    desk.write("root/CLAUDE.md", "See @docs/style.md, `@docs/code.md` and @me.\n```\n@docs/fence.md\n```\n@~/mine.md\n")
    desk.write("root/docs/style.md", "STYLE @more/1.md @../other.md @style.md @/etc/hostname @../../out.md\n")
    for number in range(1, 7):
        desk.write(f"root/docs/more/{number}.md", f"DEEP-{number} @{number + 1}.md\n")
    for path in ("docs/code.md", "docs/fence.md", "other.md", "../out.md", "../mine.md"):
        desk.write(f"root/{path}", f"TEXT OF {path}\n")
    desk.trust()
    desk.talk([says("one"), says("two")], "one", "two")
    told = first(desk)
    assert told.count("STYLE") == told.count("TEXT OF other.md") == told.count("DEEP-4") == 1
    assert "DEEP-5" not in told and "TEXT OF" not in told.replace("TEXT OF other.md", "")
    assert "STYLE" not in desk.requests[1].messages[-1].text
    assert "@~/mine.md leads out" in desk.notes() and "@/etc/hostname leads out" in desk.notes()
    assert "@me" not in desk.notes() and desk.notes().count("mine.md") == 1


def test_an_import_counts_as_it_was_trusted_and_never_with_secrets(desk: Desk) -> None:
    desk.write("root/AGENTS.md", "@docs/style.md @.env @keys/server.pem @gone.md\n")
    style = desk.write("root/docs/style.md", "STYLE\n")
    desk.write("root/.env", "LOUD=1234567890abcdef\n")
    desk.write("root/keys/server.pem", "PRIVATE\n")
    desk.talk([says("done")])
    assert "STYLE" not in first(desk)
    desk.trust()
    desk.talk([says("done")])
    assert "STYLE" in first(desk) and "LOUD" not in first(desk) and "PRIVATE" not in first(desk)
    for path in (".env may hold secrets", "server.pem may hold secrets", "@gone.md is missing"):
        assert path in desk.notes()
    style.write_text("STEAL\n")
    desk.events.clear()
    desk.talk([says("done")])
    assert "STEAL" not in first(desk) and "@docs/style.md" in first(desk)
    assert "@docs/style.md is missing, or your trust does not cover it" in desk.notes()


def test_secrets_in_imported_texts_are_replaced(desk: Desk) -> None:
    desk.write("root/.env", "API_TOKEN=sk-ant-0123456789abcdef0123\n")
    desk.write("root/CLAUDE.md", "@docs/style.md\n")
    desk.write("root/docs/style.md", "Use sk-ant-0123456789abcdef0123 always.\n")
    desk.trust()
    desk.talk([says("done")])
    assert "always." in first(desk) and "0123456789abcdef0123" not in first(desk)


def test_files_of_folders_and_of_the_user_import_from_their_own_place(desk: Desk) -> None:
    desk.write("config/inarch/AGENTS.md", "@mine.md @config.toml @../../root/other.md\n")
    desk.write("config/inarch/mine.md", "MINE\n")
    desk.write("root/other.md", "OTHER\n")
    desk.write("root/sub/CLAUDE.md", "@style.md\n")
    desk.write("root/sub/style.md", "SUBSTYLE\n")
    desk.write("root/sub/b.txt", "two\n")
    desk.trust()
    desk.talk([read("sub/b.txt"), says("done")])
    assert "MINE" in first(desk) and "OTHER" not in first(desk) and "SUBSTYLE" not in first(desk)
    assert "SUBSTYLE" in desk.seen[0]


def test_the_override_replaces_its_neighbour_and_the_local_file_is_added(desk: Desk) -> None:
    for folder in ("", "sub/"):
        for name in ("AGENTS.md", "AGENTS.override.md", "CLAUDE.local.md"):
            desk.write(f"root/{folder}{name}", f"Text of {folder}{name}.\n")
    desk.write("root/sub/b.txt", "two\n")
    desk.trust()
    desk.talk([read("sub/b.txt"), says("done")])
    system, (result,) = desk.requests[0].system, desk.seen
    for folder, told in (("", system), ("sub/", result)):
        assert f"Text of {folder}AGENTS.override.md." in told and f"Text of {folder}CLAUDE.local.md." in told
        assert f"Text of {folder}AGENTS.md." not in told


def test_rules_count_always_or_from_the_first_call_that_touches_their_files(desk: Desk) -> None:
    desk.write("root/.claude/rules/always.md", "ALWAYS @../../docs/style.md\n")
    desk.write("root/docs/style.md", "STYLE\n")
    globs = "---\npaths:\n  - src/**/*.{py,pyi}\n  - '*.cfg'\n---\nGLOBS\n"
    desk.write("root/.claude/rules/deep/globs.md", globs)
    desk.write("root/.claude/rules/bent.md", "---\npaths: **/*.js, lib/\n---\nBENT\n")
    desk.write("root/.claude/rules/broken.md", "---\npaths: 3\n---\nBROKEN\n")
    for path in ("src/a.py", "src/x/b.pyi", "src/c.js", "setup.cfg", "x/setup.cfg", "lib/x/y.c"):
        desk.write(f"root/{path}", "x\n")
    desk.trust()
    script = [read(path) for path in ("x/setup.cfg", "src/x/b.pyi", "src/a.py", "src/c.js", "lib/x/y.c")]
    desk.talk([*script, says("done")])
    assert "ALWAYS" in first(desk) and "STYLE" in first(desk) and "GLOBS" not in first(desk)
    marks = [("GLOBS" in text, "BENT" in text) for text in desk.seen]
    assert marks == [(False, False), (True, False), (False, False), (False, True), (False, False)]
    assert "broken.md: skipped: paths is 3" in desk.notes() and "BROKEN" not in str(desk.requests)
    desk.talk([read("setup.cfg"), says("done")])
    assert "GLOBS" in desk.seen[0]
    desk.talk([read("src/a.py"), says("done")], session=desk.session)
    assert "GLOBS" not in desk.seen[-1]


@given(st.lists(st.sampled_from(["@", "a.md", "`", "```\n", "~~~\n", "\n", " ", "\\ ", "x", "/", "..", "~", "#", "é"])))
def test_no_text_breaks_the_imports_and_none_leads_out(parts: list[str]) -> None:
    asked: list[str] = []

    def text_of(path: str) -> str | None:
        asked.append(path)
        return "@a.md" if path.endswith("a.md") else None

    found = imported({"docs/CLAUDE.md": "".join(parts)}, text_of)
    assert all(not path.startswith(("/", "~", "..")) and "/../" not in path for path in asked)
    assert set(found.texts) <= set(asked) and len(found.texts) <= MOST_FILES
