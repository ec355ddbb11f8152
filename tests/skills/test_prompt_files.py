"""Prompt files: sent by name, with arguments, files and commands, and no more rights than they name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch.testing import calls, says
from inarch_plugins.skills.prompt_turn import Command, expand

from .desk import Desk

READ = calls(("read_file", {"file_path": "a.txt"}))


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
    desk.talk([says("done")], "/make all", "go", flags={"approve": "none"})
    assert "/make was not sent: make all: " in desk.said[-1]
    assert desk.requests[0].messages[0].parts[0].text == "go"


def test_allowed_tools_only_narrow_and_only_their_turn(desk: Desk) -> None:
    desk.write(".agents/commands/look.md", "---\nallowed-tools: Read, Bash(git log:*)\n---\nLook.\n")
    listed = calls(("list_files", {"pattern": "*"}))
    write = calls(("write_file", {"file_path": "b.txt", "content": "x"}))
    command = calls(("execute_command", {"command": "git status"}))
    script = [READ, listed, write, command, says("done"), listed, says("done")]
    desk.talk(script, "/look", "go", flags={"approve": "all"})
    assert "one" in desk.seen[0] and not (desk.root / "b.txt").exists()
    assert all("/look allows only read_file" in text for text in desk.seen[1:4])
    assert "a.txt" in desk.seen[4]


def test_an_agent_that_such_a_turn_calls_has_no_more_tools(desk: Desk) -> None:
    desk.write(".agents/agents/fixer.md", "---\nname: fixer\ndescription: Mends.\n---\nYou mend.\n")
    desk.write(".agents/commands/look.md", "---\nallowed-tools: Task, Read\n---\nLook.\n")
    task = calls(("task", {"agent": "fixer", "prompt": "mend it"}))
    write = calls(("write_file", {"file_path": "b.txt", "content": "x"}))
    script = [task, write, READ, says("can't"), says("done"), task, write, says("mended"), says("done")]
    desk.talk(script[:5], "/look", flags={"approve": "all"})
    assert not (desk.root / "b.txt").exists() and "can't" in desk.seen[0]
    desk.talk(script, "/look", "go", flags={"approve": "all"})
    assert (desk.root / "b.txt").read_text() == "x"


def test_they_grant_nothing(desk: Desk) -> None:
    desk.write(".agents/commands/make.md", "---\nallowed-tools: Write\n---\nMake it.\n")
    write = calls(("write_file", {"file_path": "b.txt", "content": "x"}))
    desk.talk([write, says("done")], "/make")
    assert not (desk.root / "b.txt").exists()


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


def test_a_single_file_that_comes_later_takes_its_name(desk: Desk) -> None:
    desk.write(".agents/commands/greet.md", "Say hello.\n")
    plugin = desk.write("late.py", (
        "import inarch\n\n@inarch.hookimpl\ndef inarch_slash_commands(context):\n"
        '    return [inarch.SlashCommand("greet", "Greet.", lambda words: "moin")]\n'
    ))  # fmt: skip
    desk.talk([says("done")], "/greet", "go", files=[str(plugin)])
    assert desk.said == ["moin"] and desk.requests[0].messages[0].parts[0].text == "go"


WRONG = {
    "broken": ("---\na: [\n---\nx\n", "front matter is not YAML"),
    "empty": ("---\na: b\n---\n", "it is empty"),
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


def test_one_that_includes_itself_is_reported(desk: Desk) -> None:
    desk.write("root/.agents/commands/again.md", "Do it. @.agents/commands/again.md @a.txt\n")
    desk.write("root/.agents/commands/loop.md", "/loop $ARGUMENTS\n")
    desk.trust()
    desk.talk([says("done")], "/again", "/loop x")
    assert ".agents/commands/again.md mentions itself; the mention is skipped" in desk.said
    text = desk.requests[0].messages[0].text
    assert text.startswith("Do it.  @a.txt") and "again.md" not in text.split("#")[0]
    assert "/loop was not sent: it becomes '/loop x', which is not a prompt" in desk.said


def test_what_counts_for_nothing_is_told(desk: Desk) -> None:
    text = "---\nmodel: opus\nargument-hint: [file]\nallowed-tools: [Read(src/**), 'Bash(', Grep]\n---\nLook.\n"
    desk.write(".agents/commands/look.md", text)
    told = desk.command("/commands")
    assert "/look [file] (user: ~/.agents/commands/look.md)" in told
    assert "model opus is unknown here" in told
    assert "Read(src/**) allows nothing" in told and "'Bash(' is not valid" in told


def test_one_slip_away_from_a_file_is_asked_back_and_asks_no_model(desk: Desk) -> None:
    desk.write(".agents/commands/where-is.md", "Where is $1?\n")
    said, asked = desk.program("/where-si Anna", replies=[{"content": "no"}])
    assert desk.exit_code == 2 and not asked
    assert "there is no command /where-si; did you mean '/where-is'? (with a word before it" in said
    _, asked = desk.program("/healthz is slow", replies=[{"content": "yes"}])
    assert desk.exit_code == 0 and asked[0]["messages"][-1]["content"].startswith("/healthz is slow")


PLAIN = st.text("ab '\"$1!`@\\\n€", max_size=20)


@given(words=PLAIN, before=st.text("xy z", max_size=8))
def test_what_is_typed_is_never_expanded(words: str, before: str) -> None:
    assert "".join(map(str, expand(f"{before}$ARGUMENTS.", words))) == f"{before}{words}."
    without = expand(before, words)
    assert not any(isinstance(one, Command) for one in without)
    assert "".join(map(str, without)) == (f"{before}\n\n{words}" if words else before)


@given(
    words=st.lists(st.text("ab$€!`", min_size=1, max_size=6), max_size=5), order=st.lists(st.integers(1, 7), max_size=6)
)
def test_words_go_to_their_places(words: list[str], order: list[int]) -> None:
    template = "".join(f"<${number}>" for number in order) + "<$ARGUMENTS>"
    line = " ".join(f"'{word}'" for word in words)
    expected = [words[number - 1] if number <= len(words) else "" for number in order]
    assert "".join(map(str, expand(template, line))) == "".join(f"<{one}>" for one in expected) + f"<{line}>"


@given(lines=st.lists(st.text("ab $1-", min_size=1, max_size=9), max_size=4), words=PLAIN)
def test_commands_come_from_the_file_alone(lines: list[str], words: str) -> None:
    template = " ".join(f"!`{line}` $ARGUMENTS" for line in lines)
    found = [one for one in expand(template, words) if isinstance(one, Command)]
    assert len(found) == len(lines)
