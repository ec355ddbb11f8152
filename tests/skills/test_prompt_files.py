"""Prompt files: sent by name, with arguments, files and commands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch.testing import says
from inarch_plugins.skills.expansion import Command, expand

from .desk import Desk


@pytest.mark.parametrize("top", ["root/.agents", "root/.claude", ".agents", "config/inarch"])
def test_arguments_and_files_are_put_in(desk: Desk, top: str) -> None:
    desk.write(
        f"{top}/commands/git/review.md", "---\ndescription: Reviews.\n---\nLook at $1 for $2. ($ARGUMENTS) @a.txt\n"
    )
    desk.trust()
    desk.talk([says("done")], "/git:review 'the loop' speed")
    text = desk.requests[0].messages[0].text
    assert text.startswith("Look at the loop for speed. ('the loop' speed) @a.txt")
    assert [event["name"] for event in desk.of("call.result")] == ["read_multiple_files"]
    (ran,) = desk.of("skills.sent")
    assert ran["name"] == "git:review" and desk.of("command.ran")[0]["name"] == "git:review"


def test_nothing_of_a_project_that_is_not_trusted_is_a_command(desk: Desk) -> None:
    desk.write("root/.claude/commands/review.md", "Look.\n")
    desk.write(".agents/commands/mine.md", "Look at mine.\n")
    told = desk.command("/commands")
    assert told == "/mine (user: ~/.agents/commands/mine.md)\n  Look at mine."


@pytest.mark.needs("confinement")
def test_a_commands_output_comes_in_after_it_was_approved(desk: Desk) -> None:
    desk.write("root/made.txt", "@b.txt and !`ls`\n")
    desk.write(".agents/commands/see.md", "It says !`cat $1` here.\n")
    desk.talk([says("done")], "/see made.txt", flags={"approve": "none"})
    assert desk.requests[0].messages[0].text.startswith("It says \n```\n")
    assert "@b.txt and !`ls`\n" in desk.requests[0].messages[0].text
    assert [event["name"] for event in desk.of("call.result")] == ["execute_command"]
    desk.write(".agents/commands/make.md", "It says !`make $1` here.\n")
    desk.events.clear()
    desk.talk([says("done")], "/make all", flags={"approve": "none"})
    assert "/make: make all: " in desk.said[-1]
    text = desk.requests[0].messages[0].text
    assert text.startswith("It says") and "denied" in text and "here." in text


def test_the_names_of_others_are_never_taken(desk: Desk) -> None:
    for name in ("undo", "memory", "skills", "quit", "mine"):
        desk.write(f"root/.claude/commands/{name}.md", f"Do {name}.\n")
    desk.write(".agents/commands/mine.md", "Do other.\n")
    desk.trust()
    said, asked = desk.program("/mine", replies=[{"content": "done"}])
    assert asked[0]["messages"][-1]["content"].startswith("Do mine.")
    assert "~/.agents/commands/mine.md: skipped: /mine (project:" in said
    for name, holder in (("undo", "undo"), ("memory", "memory"), ("quit", "terminal")):
        assert f".claude/commands/{name}.md): the name is that of {holder}" in said
    assert ".claude/commands/skills.md: skipped: /skills is a command of Inarch itself" in said
    assert "no skills" in desk.command("/skills")


WRONG = {
    "no-end": ("---\na: b\n", "front matter has no end"),
    "empty": ("", "it is empty"),
    "large": (b"x" * 10_000_000, "is larger than 1,000,000 bytes"),
    "no-text": (b"\xff\xfe", "is not UTF-8 text"),
    "an odd name": ("x", "is not a valid command name"),
}


def test_what_is_wrong_is_told_once_and_the_turn_goes_on(desk: Desk) -> None:
    for name, (text, _) in WRONG.items():
        desk.write(f".agents/commands/{name}.md", text)
    desk.write(".agents/commands/good.md", "Be good.\n")
    turn = desk.talk([says("done"), says("done")], "/good", "two")
    assert turn.status == "done" and desk.requests[0].messages[0].text.startswith("Be good.")
    for name, (_, words) in WRONG.items():
        notes = [note["text"] for note in desk.of("note") if f"commands/{name}.md: skipped" in note["text"]]
        assert len(notes) == 1 and words in notes[0]


def test_what_is_bent_or_has_no_effect_is_shown_by_doctor_and_not_at_the_start(desk: Desk) -> None:
    text = "---\nmodel: opus\nargument-hint: [issue] [priority]\ndescription: See: it\n---\nLook at $1.\n"
    desk.write(".agents/commands/look.md", text)
    told = desk.command("/commands")
    assert "/look [issue] [priority] (user: ~/.agents/commands/look.md)\n  See: it" in told
    desk.talk([says("done")], "/look 12")
    assert desk.requests[0].messages[0].text.startswith("Look at 12.") and not desk.notes()
    said, _ = desk.program("doctor")
    assert "model opus is unknown here" in said and "(line 3)" in said


PLAIN = st.text("ab '\"$1!`@\\\n€", max_size=20)


@given(words=PLAIN, before=st.text("xy z", max_size=8))
def test_what_is_typed_is_never_expanded(words: str, before: str) -> None:
    assert "".join(map(str, expand(f"{before}$ARGUMENTS.", words))) == f"{before}{words}."
    without = expand(before, words)
    assert not any(isinstance(one, Command) for one in without)
    assert "".join(map(str, without)) == (f"{before}\n\n{words}" if words else before)


@given(
    words=st.lists(st.text("ab$€!`", min_size=1, max_size=6), max_size=5),
    order=st.lists(st.integers(0, 7), max_size=6),
    first=st.sampled_from([0, 1]),
)
def test_words_go_to_their_places(words: list[str], order: list[int], first: int) -> None:
    begins = "<$0>" if first == 0 else ""  # with it, `$1` is the second word
    numbers = [number + first for number in order]
    template = begins + "".join(f"<${number}>" for number in numbers) + r"<\$1><${P}><$nm><$ARGUMENTS>"
    line = " ".join(f"'{word}'" for word in words)
    expected = [words[number - first] if number - first < len(words) else f"${number}" for number in numbers]
    named = words[0] if words else ""
    begun = f"<{words[0] if words else '$0'}>" if begins else ""
    wanted = begun + "".join(f"<{one}>" for one in expected) + f"<$1></p><{named}><{line}>"
    assert "".join(map(str, expand(template, line, ("nm",), {"P": "/p"}))) == wanted


@given(lines=st.lists(st.text("ab $1-", min_size=1, max_size=9), max_size=4), words=PLAIN)
def test_commands_come_from_the_file_alone(lines: list[str], words: str) -> None:
    template = " ".join(f"!`{line}` $ARGUMENTS" for line in lines)
    found = [one for one in expand(template, words) if isinstance(one, Command)]
    assert len(found) == len(lines)


def test_a_block_has_a_command_a_line_unless_it_needs_a_shell() -> None:
    block = "x\n```!\nls $0\n# no\n\ngit status\n```\ny KEY=!`no`"
    assert expand(block, "a")[1:3] == [Command("ls a"), Command("git status")] and "!`no`" in str(
        expand(block, "a")[-1]
    )
    shell = "if a; then\n  b\nfi"
    assert Command(shell) in expand(f"```!\n{shell}\n```", "")
