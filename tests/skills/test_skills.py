"""Skills of a project and of the user: offered, read when needed, told where they are wrong."""

from __future__ import annotations

import asyncio

import pytest

from inarch.testing import calls, says

from .desk import Desk

GREETING = (
    "---\nname: greeting\ndescription: Greets people. Use when somebody says hello.\n---\n# Greeting\n\nSay moin.\n"
)
USE = calls(("activate_skill", {"name": "greeting"}))


def skill(name: str, body: str = "Do it.", description: str = "Does it.") -> str:
    return f"---\nname: {name}\ndescription: {description}\n---\n{body}\n"


@pytest.mark.parametrize("top", ["root/.agents", "root/.claude", ".agents", "config/inarch"])
def test_names_and_descriptions_stand_in_the_context_and_the_body_comes_when_asked_for(desk: Desk, top: str) -> None:
    desk.write(f"{top}/skills/greeting/SKILL.md", GREETING)
    desk.write(f"{top}/skills/greeting/references/names.md", "Anna\n")
    desk.trust()
    one = calls(("activate_skill", {"name": "greeting", "file": "references/names.md"}))
    desk.talk([USE, one, says("moin"), says("again")], "hello", "hello again")
    prompts = [message.text for message in desk.requests[-1].messages if message.role == "user"]
    assert [text.count("- greeting: Greets people. Use when somebody says hello.") for text in prompts] == [1, 0]
    assert all("Say moin." not in text for text in prompts)
    results = [event["result"]["data"] for event in desk.of("call.result")]
    assert "Say moin." in results[0]["instructions"] and results[0]["files"] == ["references/names.md"]
    assert "---" not in results[0]["instructions"] and results[1]["content"] == "Anna\n"


def test_nothing_of_a_project_that_is_not_trusted_counts(desk: Desk) -> None:
    place = desk.write("root/.claude/skills/greeting/SKILL.md", GREETING)
    desk.talk([says("done")])
    assert "activate_skill" not in desk.tools and "Greets people" not in desk.requests[0].messages[0].text
    desk.trust()
    desk.talk([says("done")])
    assert "activate_skill" in desk.tools
    place.write_text(GREETING.replace("moin", "boo"))
    desk.talk([says("done")])
    assert "activate_skill" not in desk.tools


def test_what_changes_while_a_session_runs_is_not_what_was_trusted(desk: Desk) -> None:
    from inarch.testing import scripted_app

    place = desk.write("root/.agents/skills/greeting/SKILL.md", GREETING)
    desk.trust()

    async def go() -> str:
        app, _ = scripted_app([USE, says("done")], desk.root, config={}, environ=desk.environ)
        place.write_text(GREETING.replace("moin", "boo"))
        turn = await app.session().run("go")
        await app.aclose()
        return str(turn.calls[0].result)

    said = asyncio.run(go())
    assert "has changed since it was trusted" in said and "boo" not in said


def test_a_projects_takes_the_name_of_the_users_and_that_is_told(desk: Desk) -> None:
    desk.write(".agents/skills/greeting/SKILL.md", GREETING)
    desk.write("root/.claude/skills/greeting/SKILL.md", GREETING.replace("moin", "salut"))
    desk.trust()
    desk.talk([USE, says("done"), says("done")], "hello", "hello")
    assert "Say salut." in desk.seen[0]
    told = (
        "~/.agents/skills/greeting/SKILL.md: skipped: the name greeting is taken by greeting (project: .claude/skills"
    )
    assert desk.notes().count(told) == 1
    shown = desk.command("/skills")
    assert "greeting (project: .claude/skills/greeting)" in shown and f"! {told}" in shown


WRONG = {
    "no end": ("---\nname: one\n", "has no end"),
    "no text below": (skill("one", body=""), "no text below"),
    "much": (f"---\nname: one\ndescription: {'x' * 40_000}\n---\nx\n", "more than 32,768 characters"),
    "large": (b"x" * 10_000_000, "is larger than 1,000,000 bytes"),
    "no text": (b"---\nname: \xff\n---\nx\n", "is not UTF-8 text"),
}


def test_what_is_wrong_is_told_once_and_the_turn_goes_on(desk: Desk) -> None:
    for name, (text, _) in WRONG.items():
        desk.write(f".agents/skills/{name}/SKILL.md", text)
    desk.write(".agents/skills/greeting/SKILL.md", GREETING)
    turn = desk.talk([USE, says("done"), says("done")], "one", "two")
    assert turn.status == "done" and "Say moin." in desk.seen[0]
    for name, (_, words) in WRONG.items():
        notes = [note["text"] for note in desk.of("note") if f"/skills/{name}/SKILL.md: skipped" in note["text"]]
        assert len(notes) == 1 and words in notes[0]
    assert not (desk.root / "boo").exists()


FILES = ("secret.txt", "../../../secret.txt", "/etc/passwd", "up/secret.txt", "no.md", "a\0b", ".")


def test_nothing_outside_of_a_skills_folder_is_served(desk: Desk) -> None:
    desk.write("secret.txt", "s3cret")
    folder = desk.write(".agents/skills/greeting/SKILL.md", GREETING).parent
    (folder / "secret.txt").symlink_to(desk.home / "secret.txt")
    (folder / "up").symlink_to(desk.home)
    use = [("activate_skill", {"name": "greeting", "file": file}) for file in FILES]
    turn = desk.talk([calls(*use), says("done")])
    assert "s3cret" not in str(desk.seen) and not any(one.result.success for one in turn.calls)


def test_a_link_that_leads_out_is_not_a_skill_but_one_to_a_folder_is(desk: Desk) -> None:
    desk.write("secret.txt", skill("out"))
    desk.write("elsewhere/greeting/SKILL.md", GREETING)
    desk.write("elsewhere/greeting/more.md", "more")
    out = desk.home / ".agents/skills/out"
    out.mkdir(parents=True)
    (out / "SKILL.md").symlink_to(desk.home / "secret.txt")
    (desk.home / ".agents/skills/greeting").symlink_to(desk.home / "elsewhere/greeting")
    desk.talk([USE, calls(("activate_skill", {"name": "greeting", "file": "more.md"})), says("done")])
    assert "Say moin." in desk.seen[0] and "more" in desk.seen[1]
    assert "~/.agents/skills/out/SKILL.md: skipped" in desk.notes() and "leads out" in desk.notes()


def test_a_link_out_of_a_projects_skill_is_no_part_of_it(desk: Desk) -> None:
    desk.write("root/.agents/skills/greeting/SKILL.md", GREETING)
    (desk.root / ".agents/skills/greeting/a.txt").symlink_to("../../../a.txt")
    desk.trust()
    turn = desk.talk([calls(("activate_skill", {"name": "greeting", "file": "a.txt"})), says("done")])
    assert not turn.calls[0].result.success and "leads out" in desk.seen[0]


def test_many_skills_stay_within_their_bounds(desk: Desk) -> None:
    for number in range(300):
        text = skill(f"skill-{number}", description="long " * 200)
        desk.write(f".agents/skills/skill-{number}/SKILL.md", text)
    desk.talk([calls(("activate_skill", {"name": "skill-299"})), says("done")])
    prompt = desk.requests[0].messages[0].text
    assert "- skill-1: long" in prompt and "more are not listed" in prompt and len(prompt) < 10_000
    assert "Do it." in desk.seen[0]


def test_one_for_people_is_not_the_models_and_a_person_has_it_done(desk: Desk) -> None:
    text = GREETING.replace("---\n#", "disable-model-invocation: true\n---\n#") + "\nTo: $ARGUMENTS\n"
    desk.write(".agents/skills/greeting/SKILL.md", text)
    desk.write(".agents/skills/other/SKILL.md", skill("other"))
    desk.talk([USE, says("done")], "/skills greeting Anna and Bert")
    prompt = desk.requests[0].messages[0].text
    assert "Say moin." in prompt and "To: Anna and Bert" in prompt and "- greeting:" not in prompt
    assert "only the user can run" in desk.seen[0]
    assert "there is no skill 'x'" in desk.command("/skills x")


BENT = {
    "colon": ("---\nname: colon\ndescription: Use for: writing\n---\nx\n", "Use for: writing", "line 3"),
    "brackets": ("---\nname: brackets\ndescription: [Internal] deploys\n---\nx\n", "[Internal] deploys", "line 3"),
    "no-front-matter": ("# One\nx\n", "One", "it has no name"),
    "no-name": ("---\ndescription: x\n---\nx\n", "x", "it has no name"),
    "no-description": ("---\nname: no-description\n---\n# One\n", "One", "it has no description"),
    "hook-development": ("---\nname: Hook Development\ndescription: x\n---\nx\n", "x", "is read as hook-development"),
    "next.js": ("---\nname: Next.js\ndescription: x\n---\nx\n", "x", "is read as next.js"),
    "long": (skill("a" * 65), "Does it.", "is read as long"),
    "twice": ("---\nname: one\ndescription: x\nname: twice\n---\nx\n", "x", "line 4"),
    "number": (skill("number", description="7"), "7", ""),
    "objects": ("---\nname: !!python/object/apply:os.system [touch boo]\ndescription: x\n---\nx\n", "x", "line 2"),
}


def test_what_others_read_is_read_and_shown_by_doctor_only(desk: Desk) -> None:
    for name, (text, _, _) in BENT.items():
        desk.write(f".agents/skills/{name}/SKILL.md", text)
    desk.talk([says("done")])
    said, _ = desk.program("doctor")
    for name, (_, description, remark) in BENT.items():
        if name != "objects":
            assert f"- {name}: {description}\n" in f"{desk.requests[0].messages[0].text}\n"
        remarks = "".join(line for line in said.splitlines() if f"/skills/{name}/SKILL.md: " in line)
        assert remark in remarks
    assert not desk.notes() and not (desk.root / "boo").exists()


def test_a_skill_is_sent_by_name_with_words_and_places(desk: Desk) -> None:
    text = GREETING + "\nTo: $0, then $1, $who\nIn ${CLAUDE_SKILL_DIR} of ${CLAUDE_PROJECT_DIR}, ${CLAUDE_SESSION_ID}\n"
    desk.write(
        ".agents/skills/greeting/SKILL.md", text.replace("---\n#", "arguments: [who]\nargument-hint: WHO\n---\n#")
    )
    desk.write(".agents/commands/greeting.md", "A command.\n")
    said, asked = desk.program("/greeting Anna 'Bert C'", replies=[{"content": "moin"}])
    prompt = asked[0]["messages"][-1]["content"]
    assert "To: Anna, then Bert C, Anna\n" in prompt and "A command." not in prompt and "moin" in said
    place = f"In {desk.home}/.agents/skills/greeting of {desk.root}, "
    assert place in prompt and "${" not in prompt
    turn = desk.talk([USE, says("done")])
    assert f"{place}{turn.session_id}" in desk.seen[0]


def test_keys_say_who_may_use_a_skill(desk: Desk) -> None:
    desk.write(
        ".agents/skills/mine/SKILL.md", "---\nname: mine\ndescription: M.\ndisable-model-invocation: yes\n---\nx\n"
    )
    desk.write(".agents/skills/its/SKILL.md", "---\nname: its\ndescription: I.\nuser-invocable: false\n---\nx\n")
    desk.talk([says("done")] * 2, "/mine", "go")
    prompts = [message.text for message in desk.requests[-1].messages if message.role == "user"]
    assert prompts[0].startswith("Do what the skill mine says")
    assert "- its: I." in prompts[0] and "- mine" not in prompts[0]
    said, _ = desk.program("/its", replies=[{"content": "no"}])
    assert "/its is no command here" in said


def test_a_skill_of_a_fork_runs_as_an_agents_task_with_its_model(desk: Desk) -> None:
    head = "name: look\ndescription: L.\ncontext: fork\nagent: Explore\nmodel: scripted/other\n"
    desk.write(".agents/skills/look/SKILL.md", f"---\n{head}---\nLook at $ARGUMENTS.\n")
    desk.talk([says("found it"), says("done")], "/look a.txt")
    assert [event["name"] for event in desk.of("call.result")] == ["task"]
    assert "found it" in "".join(message.text for message in desk.requests[-1].messages)
    task = desk.requests[0].messages[0].text
    assert "Do what the skill look says" in task and "Look at a.txt." in task
    assert {request.model for request in desk.requests} == {"other"}
