"""Decisions must pay for themselves: what came of them, when they stop, and how they go on."""

from __future__ import annotations

import asyncio
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import inarch
from inarch.testing import ScriptedModel, Step, calls, says, scripted_app
from inarch_plugins.dispatch.break_even import WINDOW, Balance, Books, Outcome
from inarch_plugins.dispatch.dispatch_command import dispatch

CHEAP = inarch.Usage(100, 10, cost_usd=Decimal("0.001"))
DEAR = inarch.Usage(1000, 100, cost_usd=Decimal("0.01"))


class Place:
    """A workspace whose decisions are kept from one session to the next."""

    def __init__(self, folder: Path, break_even: str = "money") -> None:
        self.root = folder / "root"
        self.root.mkdir(exist_ok=True)
        (self.root / "a.txt").write_text("alpha\n")
        self.config = {
            "profiles": {"default": {"strategy": ["structured", "native"]}},
            "plugins": {"dispatch": {"break_even": break_even}},
        }
        self.places = {name: str(folder / "home") for name in ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")}
        self.asked = 0

    def session(self, script: list[Step], turns: int, **options: Any) -> tuple[ScriptedModel, list[inarch.Event]]:
        """Run turns, each with a prompt of its own, in one session."""
        app, model = scripted_app(script, self.root, config=self.config, environ=self.places, journal=True, **options)

        async def go() -> list[inarch.Event]:
            session = app.session()
            for _ in range(turns):
                self.asked += 1
                await session.run(f"question number {self.asked}")
            events = list(app.store.load(session.id))
            await app.aclose()
            return events

        return model, asyncio.run(go())

    def books(self) -> Books:
        """Return what is kept."""
        (folder,) = (self.root.parent / "home").glob("**/dispatch/")
        return Books.beside(str(folder), str(self.root))

    def command(self, *words: str) -> str:
        """Run `inarch dispatch`."""
        app = inarch.compose(root=self.root, config=self.config, environ=self.places)
        context = next(plugin.context for plugin in app.composition.loaded if plugin.name == "dispatch")
        app.close()
        result = CliRunner().invoke(dispatch, words, obj=context)
        assert result.exit_code == 0, result.output
        return result.output


def decide(tool: str | None, **arguments: Any) -> Step:
    reply = {"requires_tool_call": tool is not None, "tool_name": tool, "arguments": arguments}
    return says(json.dumps(reply), CHEAP)


HELPED: list[Step] = [decide("read_file", file_path="a.txt"), says("alpha", DEAR)]
REPEATED: list[Step] = [
    decide("read_file", file_path="a.txt"),
    calls(("read_file", {"file_path": "a.txt"}), usage=DEAR),
    says("alpha", DEAR),
]
NO_TOOL: list[Step] = [decide(None), says("hello", DEAR)]
FAILED_CALL: list[Step] = [decide("read_file", file_path="gone.txt"), says("sorry", DEAR)]
INVALID: list[Step] = [says("no json", CHEAP), says("hello", DEAR)]


@pytest.mark.parametrize(
    ("script", "helped"),
    [(HELPED, True), (REPEATED, False), (NO_TOOL, False), (FAILED_CALL, False), (INVALID, False)],
)
def test_a_decision_helped_if_the_model_did_not_have_to_ask_for_the_same(
    tmp_path: Path, script: list[Step], helped: bool
) -> None:
    place = Place(tmp_path)
    place.session(script, 1)
    (outcome,) = place.books().outcomes
    assert (outcome.helped, outcome.cached, outcome.cost_usd) == (helped, False, Decimal("0.001"))
    assert outcome.saved_usd == (Decimal("0.01") if helped else 0)
    assert (outcome.saved_s > 0) is helped


def test_a_remembered_decision_costs_nothing(tmp_path: Path) -> None:
    place = Place(tmp_path)
    app, _ = scripted_app(
        [decide("list_files"), says("one", DEAR), says("two", DEAR)],
        place.root, config=place.config, environ=place.places,
    )  # fmt: skip

    async def go() -> None:
        session = app.session()
        for _ in range(2):
            await session.run("the same")
        watcher = app.parts.composed.strategies[0].value.watcher  # type: ignore[attr-defined]
        first, second = watcher.books().outcomes
        assert (first.cached, first.cost_usd, second.cached, second.cost_usd) == (False, Decimal("0.001"), True, 0)
        assert (second.helped, second.cost_s, second.saved_usd) == (True, 0.0, Decimal("0.01"))
        await app.aclose()

    asyncio.run(go())
    assert not list((tmp_path / "home").glob("**/outcomes-*"))  # without a journal nothing is kept


def test_below_break_even_the_decisions_stop_with_one_note_and_clear_brings_them_back(tmp_path: Path) -> None:
    place = Place(tmp_path)
    _, events = place.session(NO_TOOL * WINDOW, WINDOW)
    notes = [event.data for event in events if event.kind == "note" and "switched itself off" in event.data["text"]]
    assert len(notes) == 1
    assert f"0 of {WINDOW} saved the model a step" in notes[0]["text"]
    assert "$0.0200" in notes[0]["text"] and "inarch dispatch clear" in notes[0]["text"]
    model, events = place.session([says("one", DEAR), says("two", DEAR)], 2)  # another session in the same workspace
    assert [request.purpose for request in model.requests] == ["turn", "turn"]
    assert not any(event.kind == "note" and "switched" in event.data["text"] for event in events)
    assert "off since" in place.command("stats")
    assert "the strategy is on again" in place.command("clear")
    model, _ = place.session(NO_TOOL, 1)
    assert [request.purpose for request in model.requests] == ["decision", "turn"]
    assert "whether it pays shows after 20 decisions" in place.command("stats")


def test_decisions_that_pay_go_on(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.session([*NO_TOOL * (WINDOW - 3), *HELPED * 3], WINDOW)  # 20 decisions cost 0.02, three steps save 0.03
    stats = place.command("stats")
    assert f"3 of {WINDOW} saved the model a step" in stats
    model, _ = place.session(NO_TOOL, 1)
    assert [request.purpose for request in model.requests] == ["decision", "turn"]


def test_what_never_has_to_pay_goes_on_whatever_it_costs(tmp_path: Path) -> None:
    place = Place(tmp_path, "never")
    place.session(NO_TOOL * (WINDOW + 1), WINDOW + 1)
    assert "off" not in place.command("stats")


def test_a_workspace_of_its_own_has_books_of_its_own(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.session(NO_TOOL, 1)
    (folder,) = (tmp_path / "home").glob("**/dispatch/")
    assert Books.beside(str(folder), str(tmp_path)).outcomes == []


def test_a_turn_that_the_model_never_answered_counts_for_nothing(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.session([decide("list_files"), [inarch.ProviderError("auth", "no key")]], 1)
    assert not list((tmp_path / "home").glob("**/outcomes-*"))


outcomes = st.builds(
    Outcome,
    st.booleans(),
    st.booleans(),
    st.floats(0, 100),
    st.floats(0, 100),
    st.none() | st.decimals(0, 10, places=6),
    st.none() | st.decimals(0, 10, places=6),
)


@given(st.lists(outcomes, max_size=30))
def test_the_balance_is_of_the_last_decisions_and_survives_the_file(many: list[Outcome]) -> None:
    books = Books()
    for one in many:
        books.add(one)
    assert books.outcomes == many[-WINDOW:]
    assert [Outcome.of(json.loads(json.dumps(one.data()))).cost_usd for one in many] == [one.cost_usd for one in many]
    balance = Balance.of(many[-WINDOW:])
    if len(many) < WINDOW:
        assert not books.off_since
    if balance.is_below("both"):
        assert balance.is_below("time") or balance.is_below("money")


def test_unknown_money_leaves_it_to_time() -> None:
    slow = Balance(WINDOW, 0, 2.0, 1.0, None, None)
    quick = Balance(WINDOW, 0, 1.0, 2.0, None, Decimal(1))
    assert slow.is_below("both") and not quick.is_below("both")
    assert not slow.is_below("money")
    assert "an unknown amount of money" in slow.words()


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"outcomes": [[1]], "off_since": ""}', b'{"outcomes": 3}', b"\xff"]
)
def test_damaged_books_are_empty_ones(tmp_path: Path, content: bytes) -> None:
    books = Books.beside(str(tmp_path), "/root")
    assert books.path is not None
    books.path.write_bytes(content)
    again = Books.beside(str(tmp_path), "/root")
    assert (again.outcomes, again.is_off) == ([], False)
    again.add(Outcome(False, True, 1.0, 2.0, None, None))
    assert len(Books.beside(str(tmp_path), "/root").outcomes) == 1
