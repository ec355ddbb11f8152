"""Instructions of folders and of the user: from the first call that touches a folder, once, and only where trusted."""

from __future__ import annotations

from inarch.testing import calls, says

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


def test_the_users_file_that_is_too_large_is_told_and_the_turn_goes_on(desk: Desk) -> None:
    desk.write("config/inarch/AGENTS.md", b"x" * 10_000_000)
    assert desk.talk([says("done")]).status == "done"
    assert "AGENTS.md is larger than 1,000,000 bytes" in desk.notes()
