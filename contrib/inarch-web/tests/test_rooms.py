"""What pages see of a session: the same, whenever they came, and the first answer to a question counts."""

from __future__ import annotations

import base64
from pathlib import Path

import inarch
from inarch.testing import calls, says

from .talking import entered, served

READ = ("read_file", {"file_path": "footer.txt"})
PATCH = ("patch_source_file", {"file_path": "footer.txt", "search": "2024", "replace": "2025", "description": "year"})


async def test_a_prompt_is_answered_and_shown_to_every_page(project: Path) -> None:
    async with served([says("Hello **you**.")], project) as there, entered(there.address) as one:
        opened = await one.do("open", session=None)
        session = opened["session"]
        assert opened["turns"] == [] and opened["question"] is None and opened["state"]["running"] is None
        async with entered(there.address) as two:
            await two.do("open", session=session)
            assert await one.do("say", session=session, text="Hi <b>there</b>") == {"as": "turn"}
            for page in (one, two):
                state = await page.idle()
                assert state["state"]["spent"]["requests"] <= 1
                shown = [m["turn"] for m in page.came if "turn" in m][-1]
                assert "<strong>you</strong>" in shown["html"] and "Hi &lt;b&gt;there&lt;/b&gt;" in shown["html"]
                assert [m["n"] for m in page.came if "n" in m] == sorted(m["n"] for m in page.came if "n" in m)
            said = "".join(m["delta"]["text"] for m in one.came if "delta" in m)
            assert said == "Hello **you**."


async def test_a_turn_keeps_whether_the_person_pointed_at_something(project: Path) -> None:
    async with served([says("One."), says("Two.")], project) as there, entered(there.address) as page:
        session = (await page.do("open", session=None))["session"]
        room = there.desk.rooms[session]
        for selection in (None, {"selector": "footer", "tag": "footer", "words": "Selected <footer>"}):
            room.set_selection(selection)
            before = len(page.came)
            await page.do("say", session=session, text="What is this?")
            await page.idle(before)
            assert room.selection is None and room.state()["selection"] is None  # it has left the box
        assert [turn.mode for turn in room.session_there.turns] == ["text", "selection"]


async def test_a_proposed_file_is_edited_and_asked_about_again(project: Path) -> None:
    async with served([calls(READ), calls(PATCH), says("Done.")], project, flags={"approve": "ask"}) as there:
        async with entered(there.address) as page:
            session = (await page.do("open", session=None))["session"]
            await page.do("say", session=session, text="Edit the footer.")
            asked = (await page.until(lambda m: "question" in m))["question"]
            call = asked["calls"][0]
            unchanged = {"call": call["call"], "outcome": "modify", "content": call["file"]["after"]}
            wrong = await page.ask("answer", session=session, question=asked["id"], answers=[unchanged])
            assert "nothing was changed" in wrong["error"]["text"]
            before = len(page.came)
            mine = {"call": call["call"], "outcome": "modify", "content": "Copyright 2026\nSome rights reserved\n"}
            assert (await page.do("answer", session=session, question=asked["id"], answers=[mine]))["counts"]
            again = (await page.until(lambda m: "question" in m, before))["question"]
            assert again["calls"][0]["file"]["after"] == mine["content"]
            yes = [{"call": call["call"], "outcome": "approve", "scope": "once"}]
            await page.do("answer", session=session, question=again["id"], answers=yes)
            await page.idle(before)
            assert (project / "footer.txt").read_text() == mine["content"]
            blamed = await page.do("blame", session=session, path="footer.txt")
            assert [line["by"] for line in blamed["lines"]] == ["agent", "agent"]
            undone = await page.do("undo", session=session, target="")
            assert undone["done"] and "2024" in (project / "footer.txt").read_text()
            assert (await page.do("redo", session=session))["done"]
            assert (project / "footer.txt").read_text() == mine["content"]


async def test_a_page_opened_amid_a_turn_shows_what_is_and_the_turn_outlives_all_pages(project: Path) -> None:
    slow = [*calls(PATCH)]
    async with served(
        [calls(READ), [*says("Thinking")[:1], 2.0, *slow], says("Done.")], project, flags={"approve": "ask"}
    ) as there:
        async with entered(there.address) as one:
            session = (await one.do("open", session=None))["session"]
            await one.do("say", session=session, text="Edit the footer.")
            await one.until(lambda m: "delta" in m)
            async with entered(there.address) as two:
                opened = await two.do("open", session=session)
                assert opened["state"]["running"] == 1 and opened["turns"][-1]["running"]
                assert "".join(delta["text"] for delta in opened["live"]) == "Thinking"
        async with entered(there.address) as three:
            opened = await three.do("open", session=session)
            asked = opened["question"] or (await three.until(lambda m: "question" in m))["question"]
            yes = [{"call": asked["calls"][0]["call"], "outcome": "approve"}]
            await three.do("answer", session=session, question=asked["id"], answers=yes)
            await three.idle()
            assert "2025" in (project / "footer.txt").read_text()


async def test_what_is_said_meanwhile_goes_in_before_the_next_request(project: Path) -> None:
    answers = [[*says("…")[:1], 1.5, *calls(READ)], says("Both heard."), says("And the rest.")]
    asked: list[inarch.ModelRequest] = []
    served_here = served(answers, project, asked=asked)
    async with served_here as there, entered(there.address) as page, entered(there.address) as other:
        session = (await page.do("open", session=None))["session"]
        await other.do("open", session=session)
        await page.do("say", session=session, text="first")
        await page.until(lambda m: "delta" in m)
        assert (await page.do("say", session=session, text="and this")) == {"as": "steer"}
        assert (await other.do("say", session=session, text="that, too")) == {"as": "steer"}
        await other.until(lambda m: m.get("state", {}).get("queued") == ["and this", "that, too"])
        await page.idle()
        assert asked[1].messages[-1].text.endswith("and this\n\nthat, too")
        assert len(asked) == 2  # they were no prompts of their own
        shown = [m["state"]["queued"] for m in page.came if "state" in m]
        assert shown[-1] == []


async def test_what_comes_after_the_last_request_is_the_next_prompt(project: Path) -> None:
    asked: list[inarch.ModelRequest] = []
    script = [[*says("…")[:1], 1.5, *says("Done.")[1:]], says("Second.")]
    async with served(script, project, asked=asked) as there:
        async with entered(there.address) as page:
            session = (await page.do("open", session=None))["session"]
            await page.do("say", session=session, text="first")
            await page.until(lambda m: "delta" in m)
            assert (await page.do("say", session=session, text="late")) == {"as": "steer"}
            await page.until(lambda m: "Second." in m.get("turn", {}).get("html", ""))
            assert asked[1].messages[-1].text == "late"


async def test_what_is_said_meanwhile_waits_and_a_cancel_gives_it_back(project: Path) -> None:
    async with served([[*says("…")[:1], 60.0], says("Second.")], project) as there, entered(there.address) as page:
        session = (await page.do("open", session=None))["session"]
        await page.do("say", session=session, text="first")
        await page.until(lambda m: "delta" in m)
        for text in ("second", "third"):
            assert (await page.do("say", session=session, text=text))["as"] in ("queued", "steer")
        assert await page.do("unqueue", session=session, place=0) == {"text": "second"}
        assert await page.do("cancel", session=session) == {"unsaid": ["third"]}
        ended = (await page.until(lambda m: m.get("turn", {}).get("running") is False))["turn"]
        assert "cancelled" in ended["html"]
        before = len(page.came)
        await page.do("say", session=session, text="again")
        await page.idle(before)
        assert "Second." in [m["turn"] for m in page.came if "turn" in m][-1]["html"]


async def test_sessions_are_listed_named_found_forked_and_exported(project: Path) -> None:
    async with served([says("One."), says("Two."), says("Three.")], project) as there, entered(there.address) as page:
        session = (await page.do("open", session=None))["session"]
        await page.do("say", session=session, text="the first prompt")
        await page.idle()
        other = (await page.do("open", session=None))["session"]
        before = len(page.came)
        await page.do("say", session=other, text="something else")
        await page.idle(before)
        assert (await page.do("name", session=session, name="mine"))["state"]["name"] == "mine"
        listed = await page.do("sessions")
        assert {row["id"] for row in listed["sessions"]} == {session, other} and not listed["more"]
        assert [row["id"] for row in (await page.do("sessions", words="MINE"))["sessions"]] == [session]
        assert (await page.do("open", session="mine"))["session"] == session
        fork = (await page.do("fork", session=session, at=1))["session"]
        forked = await page.do("open", session=fork)
        assert fork not in (session, other) and "One." in forked["turns"][-1]["html"]
        told = await page.do("export", session=session, form="markdown")
        text = b"".join(base64.b64decode(part["base64"]) for part in page.parts).decode()
        assert told["parts"] == len(page.parts) and told["name"].endswith(".md") and "the first prompt" in text
        await page.do("set", session=fork, approve="none")
        assert (await page.ask("set", session=fork, approve="much"))["error"]["remedy"]
        commands = await page.do("complete", session=fork, text="/und")
        assert [item["text"] for item in commands["items"]] == ["/undo"]
        paths = await page.do("complete", session=fork, text="look at @foot")
        assert [item["text"] for item in paths["items"]] == ["@footer.txt"] and paths["from"] == 8
