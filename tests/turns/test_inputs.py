"""What is said while a turn runs: in before the next request, in order, once, and never lost."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from attrs import define, evolve, field
from hypothesis import given
from hypothesis import strategies as st

import inarch
from inarch import Input, Message, ProviderError, Text, tool
from inarch.plugins.registration import Bound
from inarch.testing import ScriptedModel, Step, calls, says, scripted_app

Does = Callable[["Talk"], object]


@define(eq=False)
class Talk:
    """A session with a tool `work` that does what a test wants in the midst of the turn."""

    root: Path
    script: Sequence[Step]
    does: dict[int, Does] = field(factory=dict)
    options: dict[str, Any] = field(factory=dict)
    events: list[inarch.Event] = field(factory=list)
    model: ScriptedModel = field(init=False)
    app: inarch.App = field(init=False)
    session: inarch.Session = field(init=False)

    def open(self, session_id: str | None = None) -> Talk:
        self.app, self.model = scripted_app(self.script, self.root, **self.options)

        @tool(category="other", effects=inarch.Effects())
        def work(place: int, context: inarch.ToolContext) -> str:
            """Do it."""
            self.does.get(place, lambda talk: None)(self)
            return f"did {place}"

        context = inarch.PluginContext("worker", str(self.root))
        bound = Bound("worker", work, context)
        self.app.composition = evolve(self.app.composition, tools={**self.app.composition.tools, "work": bound})
        self.session = self.app.session(session_id)
        self.session.state.journal.listeners.append(self.events.append)
        return self

    def kinds(self, kind: str) -> list[inarch.Event]:
        return [event for event in self.events if event.kind == kind]


def works(*places: int) -> Step:
    return calls(*(("work", {"place": place}) for place in places))


def said_in(messages: Sequence[Message]) -> list[str]:
    """Return what a person or a plugin said, without the project's structure."""
    parts = (part for message in messages if message.role == "user" for part in message.parts)
    return [part.text for part in parts if isinstance(part, Text) and not part.text.startswith("#")]


def test_words_go_in_after_the_results_of_the_running_calls_and_before_the_next_request(tmp_path: Path) -> None:
    talk = Talk(tmp_path, [works(1, 2), says("done")], {1: lambda talk: talk.session.say("not that one")}).open()

    async def go() -> None:
        turn = await talk.session.run("do it")
        assert turn.status == "done" and talk.session.waiting == ()
        await talk.app.aclose()

    asyncio.run(go())
    first, second = (request.messages for request in talk.model.requests)
    assert [message.role for message in second] == ["user", "assistant", "tool", "user"]
    assert said_in(first) == ["do it"] and said_in(second) == ["do it", "not that one"]
    kinds = [event.kind for event in talk.events]
    assert kinds.index("input.waiting") < kinds.index("calls.done") < kinds.index("input.ended")
    assert (talk.kinds("input.ended")[0].data["outcome"], talk.kinds("input.waiting")[0].turn_id is not None) == (
        "added",
        True,
    )


def test_words_that_wait_can_be_taken_back_once_and_those_that_went_in_cannot(tmp_path: Path) -> None:
    told: list[Any] = []

    def first(talk: Talk) -> None:
        kept, dropped = talk.session.say("kept"), talk.session.say("dropped")
        told.extend([kept, talk.session.unsay(dropped.id), talk.session.unsay(dropped.id), talk.session.waiting])

    def second(talk: Talk) -> None:
        told.append(talk.session.unsay(told[0].id))

    talk = Talk(tmp_path, [works(1), works(2), says("done")], {1: first, 2: second}).open()
    asyncio.run(talk.session.run("do it"))
    kept, back, again, waiting, late = told
    assert (back.text, again, waiting, late) == ("dropped", None, (kept,), None)
    assert said_in(talk.model.requests[-1].messages) == ["do it", "kept"]


def test_what_a_turn_leaves_begins_the_next_prompt_and_run_without_words_makes_a_prompt_of_it(tmp_path: Path) -> None:
    late = iter(["first", "second"])

    def answers(request: inarch.ModelRequest) -> Step:
        talk.session.say(next(late))
        return says("so far")

    talk = Talk(tmp_path, [answers, answers, says("and that")], {}).open()

    async def go() -> None:
        await talk.session.run("do it")
        (left,) = talk.session.waiting
        assert left.text == "first" and left.turn_id
        await talk.session.run("and more")
        await talk.session.run()
        with pytest.raises(inarch.UsageError, match="the prompt is empty"):
            await talk.session.run()

    asyncio.run(go())
    prompts = [event.data["turn"]["content"] for event in talk.kinds("turn.started") if not event.data["settings"]]
    assert prompts == ["do it", "first\n\nand more", "second"]
    assert [event.data["outcome"] for event in talk.kinds("input.ended")] == ["prompt", "prompt"]


def test_a_plugins_words_are_marked_as_its_own_also_when_its_call_is_over(tmp_path: Path) -> None:
    inboxes: list[inarch.Inbox] = []

    @tool(category="other", effects=inarch.Effects())
    def watch(context: inarch.ToolContext) -> str:
        """Watch it."""
        inboxes.append(context.inbox)
        return "watching"

    def ends(talk: Talk) -> None:
        inboxes[0].say("the server ended")

    talk = Talk(tmp_path, [calls(("watch", {})), works(1), says("I see"), says("again")], {1: ends}).open()
    bound = Bound("processes", watch, inarch.PluginContext("processes", str(tmp_path)))
    talk.app.composition = evolve(talk.app.composition, tools={**talk.app.composition.tools, "watch": bound})
    asyncio.run(talk.session.run("watch it"))
    told = "[From the plugin processes, not from the person]\nthe server ended"
    assert said_in(talk.model.requests[2].messages) == ["watch it", told]
    later = inboxes[0].say("and again")
    mine = talk.session.say("mine")
    assert (later.by, inboxes[0].unsay(mine.id), inboxes[0].unsay(later.id)) == ("processes", False, True)


ENDS = {
    "done": [says("done")],
    "failed": [[ProviderError("request", "no")]],
    "limited": [works(0), says("so far")],
    "cancelled": [works(99), says("never")],
}
Op = tuple[str, int]
OPS = st.lists(st.tuples(st.sampled_from(["say", "unsay"]), st.integers(0, 5)), max_size=4)


@given(
    batches=st.lists(st.lists(OPS, min_size=1, max_size=3), max_size=4),
    end=st.sampled_from(sorted(ENDS)),
    after=OPS,
)
def test_words_come_in_the_order_typed_once_and_none_is_lost(
    tmp_path_factory: pytest.TempPathFactory, batches: list[list[list[Op]]], end: str, after: list[Op]
) -> None:
    root = tmp_path_factory.mktemp("said")
    typed: list[Input] = []
    back: set[str] = set()
    typing = threading.Lock()

    def perform(talk: Talk, ops: list[Op]) -> None:
        for what, number in ops:
            with typing:
                if what == "say":
                    typed.append(talk.session.say(f"word {len(typed)}"))
                elif number < len(typed) and talk.session.unsay(typed[number].id) is not None:
                    assert typed[number].id not in back
                    back.add(typed[number].id)

    flat = [ops for batch in batches for ops in batch]
    does: dict[int, Does] = {place: lambda talk, ops=ops: perform(talk, ops) for place, ops in enumerate(flat, 100)}
    places = iter(range(100, 100 + len(flat)))
    script = [works(*(next(places) for _ in batch)) for batch in batches] + list(ENDS[end])
    limits = {"max_iterations": len(batches) + 1 if end == "limited" else 50, "approve": "all"}
    options = {"config": {"profiles": {"default": limits}}, "journal": True}
    talk = Talk(root, script, does, options).open()

    async def go() -> None:
        running = asyncio.create_task(talk.session.run("begin"))
        if end == "cancelled":
            talk.does[99] = lambda talk: loop.call_soon_threadsafe(running.cancel)
        loop = asyncio.get_running_loop()
        await asyncio.wait([running])
        perform(talk, after)
        waiting = talk.session.waiting
        await talk.app.aclose()
        added = [event.data["id"] for event in talk.kinds("input.ended") if event.data["outcome"] == "added"]
        expected = [one.id for one in typed if one.id not in back]
        assert [*added, *(one.id for one in waiting)] == expected
        assert [event.data["id"] for event in talk.kinds("input.waiting")] == [one.id for one in typed]
        limit = "A limit was reached"
        seen = [text for said in talk.session.state.history for text in said_in(said.messages) if limit not in text]
        assert seen == ["begin", *(one.text for one in typed if one.id in added)]
        again = Talk(root, [says("later")], options=options).open(talk.session.id)
        assert again.session.state.history == talk.session.state.history
        assert [one.text for one in again.session.waiting] == [one.text for one in waiting]
        await again.session.run("next")
        assert again.session.waiting == ()
        words = [*(one.text for one in waiting), "next"]
        said = [text for text in said_in(again.model.requests[0].messages) if limit not in text]
        assert said == [*seen, "\n\n".join(words)]
        await again.app.aclose()

    asyncio.run(go())


KILLED = """
import asyncio, os, signal, sys
sys.path.insert(0, {tests!r})
from pathlib import Path
from inarch.testing import calls, says
from test_inputs import Talk, works

def dies(talk):
    print(talk.session.id, flush=True)
    talk.session.say("never lost")
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(Talk(Path({root!r}), [works(1), says("x")], {{1: dies}}, {{"journal": True}}).open().session.run("do it"))
"""


def test_words_that_were_accepted_outlive_kill_9(tmp_path: Path) -> None:
    program = KILLED.format(tests=str(Path(__file__).parent), root=str(tmp_path))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    talk = Talk(tmp_path, [says("I heard")], options={"journal": True}).open(done.stdout.strip())
    assert [one.text for one in talk.session.waiting] == ["never lost"]
    notes = [event.data["text"] for event in talk.app.store.load(talk.session.id) if event.kind == "note"]
    asyncio.run(talk.session.run())
    notes += [event.data["text"] for event in talk.app.store.load(talk.session.id) if event.kind == "note"]
    assert any("your last message waits" in note for note in notes)
    assert said_in(talk.model.requests[0].messages) == ["do it", "never lost"]
    talk.app.close()
