"""Whatever a service sends, a turn ends in a terminal status, its record can be read, and the next turn works."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.export.written import FORMATS, export

import inarch
from inarch.contract.ids import SystemClock
from inarch.journal.fold import fold
from inarch.sessions.app import App
from inarch.testing import HttpReply, HttpRequest, HttpServer
from inarch_plugins.terminal.front_ends.text import TextFrontEnd

from .wires import EACH, WIRES, Calls, Says, Wire, composed

pytestmark = [  # LiteLLM's own
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:.*was never awaited"),
    pytest.mark.filterwarnings("ignore:Sending a large body"),
]
TERMINAL = {"done", "failed", "limited"}
PLUGINS = ["sandbox-fs", "sqlite-store"]


def nested(depth: int, opening: str = "[", closing: str = "]") -> str:
    return f'{{"file_path": "a.txt", "extra": {opening * depth}1{closing * depth}}}'


ARGUMENTS = {
    "as deep as passes": nested(90),
    "deeper than passes": nested(110),
    "as deep as the encoder reads": nested(300),
    "deeper than the encoder reads": nested(500),
    "objects in each other": nested(400, '{"a":', "}"),
    "deeper than the parser reads": nested(20_000),
    "depth within a text": json.dumps({"file_path": "a.txt", "start_line": "[" * 900 + "]" * 900}),
    "a wrapper of depth": json.dumps({"parameters": "[" * 3_000}),
    "half a character": r'{"file_path": "\ud800"}',
    "half a character in a name": r'{"\udfff": 1}',
    "not a number": '{"file_path": "a.txt", "start_line": NaN}',
    "endless": '{"file_path": "a.txt", "start_line": -Infinity}',
    "beyond all floats": '{"file_path": "a.txt", "start_line": 1e999}',
    "a long integer": f'{{"file_path": "a.txt", "start_line": {"9" * 4_200}}}',
    "an integer of a million digits": f'{{"file_path": "a.txt", "start_line": {"9" * 1_000_000}}}',
    "one name twice": '{"file_path": "b.txt", "file_path": "a.txt"}',
    "a list": "[1, 2]",
    "a text": '"a.txt"',
    "nothing": "null",
    "cut": '{"file_path": "a.t',
    "of 3 MB": json.dumps({"file_path": "x" * 3_000_000}),
}


def with_arguments(wire: Wire, text: str) -> bytes:
    """The body of a reply whose call has this text for its arguments."""
    body = whole(wire.render(Calls([("read_file", {"file_path": "PLACE"})])))
    if wire.provider == "gemini":
        return body.replace(b'{"file_path": "PLACE"}', text.encode())
    return body.replace(json.dumps('{"file_path": "PLACE"}').encode(), json.dumps(text).encode())


def whole(reply: HttpReply) -> bytes:
    return b"".join(chunk for chunk in reply.chunks if isinstance(chunk, bytes))


def streamed(body: bytes) -> HttpReply:
    return HttpReply([body], 200, {"content-type": "text/event-stream"})


@define
class Bench:
    """An application whose service answers first with `hostile`, then well."""

    wire: Wire
    app: App
    runner: asyncio.Runner
    hostile: list[HttpReply] = field(factory=list)

    def answer(self, request: HttpRequest) -> HttpReply:
        return self.hostile.pop() if self.hostile else self.wire.render(Says(["fine"]))

    def turns(self, body: bytes) -> Sequence[inarch.Event]:
        """Run a turn with that reply and one more; return the record, which holds what both promise."""
        self.hostile[:] = [streamed(body)]
        session = self.app.session()
        first = self.runner.run(session.run("read a.txt"))
        assert first.status in TERMINAL
        self.hostile.clear()
        second = self.runner.run(session.run("and now?"))
        assert (second.status, second.content) == ("done", "fine"), second.error
        events = list(self.app.store.load(session.id))
        kinds = [event.kind for event in events]
        assert kinds.count("turn.ended") == 2
        check_readable(events)
        return events


class NoWait(SystemClock):
    """Goes on at once: what is looked at here is not how long is waited."""

    async def sleep(self, seconds: float) -> None:
        pass


def check_readable(events: Sequence[inarch.Event]) -> None:
    """Everything that reads a record reads this one."""

    def never(word: str) -> None:
        raise AssertionError(f"{word} in a record")

    for event in events:
        event.line.encode()
        json.loads(event.line, parse_constant=never)
    assert all(turn.status in TERMINAL for turn in fold(events).turns if turn.type == "agent")
    for form in FORMATS:
        export(events, form).encode("utf-8", "strict")
    told = TextFrontEnd(StringIO(), StringIO())
    for event in events:
        told.show(event)


@pytest.fixture(scope="module", params=EACH)
def bench(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    wire: Wire = request.param
    if wire.provider == "litellm" and find_spec("litellm") is None:
        pytest.skip("PyPI litellm is not installed")
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "work").mkdir()
    (folder / "work" / "a.txt").write_text("alpha\n")
    answering: list[Callable[[HttpRequest], HttpReply]] = []
    with HttpServer([lambda asked: answering[0](asked)]) as server, asyncio.Runner() as runner:
        replacing = inarch.Replacements(clock=NoWait())
        app = composed(wire, folder / "work", server.url, *PLUGINS, replacing=replacing)
        made = Bench(wire, app, runner)
        answering.append(made.answer)
        yield made
        runner.run(app.aclose())


@pytest.mark.parametrize("kind", ARGUMENTS)
def test_arguments_of_any_kind_end_in_a_result_or_are_asked_for_again(bench: Bench, kind: str) -> None:
    events = bench.turns(with_arguments(bench.wire, ARGUMENTS[kind]))
    asked_again = [event for event in events if event.kind == "model.replied" and event.data["finish"] == "error"]
    results = [event for event in events if event.kind == "call.result"]
    assert bool(asked_again) != bool(results), "the call has a result, or there is none and it was asked for again"


JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([2**53, 10**400, -1, 10**9]),
    st.floats(),
    st.text(st.characters(), max_size=12),
    st.sampled_from(["\ud800", "\x1b[2J", "\u202e", "[" * 700, "9" * 5_000, "stop", "length", "tool_calls", "STOP"]),
    st.lists(st.integers(), max_size=3),
    st.dictionaries(st.text(max_size=5), st.integers(), max_size=3),
    st.integers(2, 600).map(lambda depth: deep(depth)),
)


def deep(depth: int) -> Any:
    value: Any = 1
    for level in range(depth):
        value = [value] if level % 2 else {"a": value}
    return value


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*path, key))


def put(value: Any, path: tuple[Any, ...], junk: Any) -> Any:
    if not path:
        return junk
    changed = deepcopy(value)
    at = changed
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = junk
    return changed


@given(st.data())
@settings(max_examples=settings().max_examples // 3, suppress_health_check=list(HealthCheck))
def test_a_reply_with_anything_anywhere_ends_the_turn_in_a_terminal_status(bench: Bench, data: st.DataObject) -> None:
    step = data.draw(st.sampled_from([
        Calls([("read_file", {"file_path": "a.txt"}), ("read_file", {"file_path": "b"})], "text", "thought"),
        Says(["a", "b"], "thought"),
    ]))  # fmt: skip
    lines = [line for line in whole(bench.wire.render(step)).split(b"\n\n") if line.startswith(b"data: {")]
    chunks = [json.loads(line[6:]) for line in lines]
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(chunks) - 1))
        path = data.draw(st.sampled_from(list(places(chunks[at]))))
        chunks[at] = put(chunks[at], path, data.draw(JUNK))
    body = b"".join(b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks)
    bench.turns(body if data.draw(st.booleans()) else body + b"data: [DONE]\n\n")


@given(st.binary(max_size=200))
@settings(max_examples=settings().max_examples // 5, suppress_health_check=list(HealthCheck))
def test_bytes_that_are_no_reply_end_the_turn_in_a_terminal_status(bench: Bench, noise: bytes) -> None:
    bench.turns(b"data: " + noise + b"\n\n")


def test_a_turn_that_nothing_foresaw_ends_as_failed_and_the_next_one_works(tmp_path: Path) -> None:
    """The class of all this: an error that escapes a turn leaves no turn that is still running."""
    wire = WIRES[0]
    (tmp_path / "work").mkdir()
    with HttpServer([wire.render(Says(["fine"]))]) as server:
        app = composed(wire, tmp_path / "work", server.url, *PLUGINS)

        def fail(event: inarch.Event) -> None:
            if event.kind == "model.replied":
                raise RecursionError("too deep")

        async def go() -> tuple[Sequence[inarch.Event], Sequence[inarch.Turn]]:
            session = app.session()
            session.state.journal.listeners.append(fail)
            with pytest.raises(RecursionError, match="too deep"):
                await session.run("one")
            session.state.journal.listeners.remove(fail)
            await session.run("two")
            events = list(app.store.load(session.id))
            await app.aclose()
            return events, session.turns

        events, turns = asyncio.run(go())
    assert [(turn.status, turn.content) for turn in turns] == [("failed", ""), ("done", "fine")]
    assert str(turns[0].error) == "internal error: RecursionError: too deep"
    assert [turn.status for turn in fold(events).turns if turn.type == "agent"] == ["failed", "done"]
