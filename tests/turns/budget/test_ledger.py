"""The ledger: what a session came to, live and after it was resumed."""

import asyncio
from decimal import Decimal
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import inarch
from inarch.contract.codec import to_data
from inarch.testing import ScriptedModel, Step, calls, says, scripted_app
from inarch.turns.ledger import Ledger, total_of


def event(kind: str, turn: str = "t1", **data: Any) -> inarch.Event:
    return inarch.Event(1, "", "s", turn, kind, {"purpose": "turn", "plugin": "", "model": "a/b", **data})


def replied(usage: inarch.Usage, turn: str = "t1", finish: str = "stop", **data: Any) -> inarch.Event:
    return event("model.replied", turn, usage=to_data(usage), finish=finish, duration_s=0.5, **data)


usages = st.builds(
    inarch.Usage,
    st.integers(0, 10**6),
    st.integers(0, 10**6),
    cost_usd=st.none() | st.decimals(0, 100, places=6),
)


@given(st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from(["turn", "decision"]), usages)))
def test_every_request_is_in_one_row_and_the_rows_make_the_total(asked: list[tuple[str, str, inarch.Usage]]) -> None:
    ledger = Ledger()
    for model, purpose, usage in asked:
        ledger.saw(event("model.requested", model=model, purpose=purpose))
        ledger.saw(replied(usage, model=model, purpose=purpose))
    rows = ledger.rows()
    assert {(row.purpose, row.model) for row in rows} == {(purpose, model) for model, purpose, _ in asked}
    assert total_of(rows) == ledger.total()
    total = ledger.total()
    assert total.requests == len(asked)
    assert total.input_tokens == sum(usage.input_tokens for _, _, usage in asked)
    assert total.cost_usd == sum(usage.cost_usd or 0 for _, _, usage in asked)
    assert total.unknown == sum(usage.cost_usd is None for _, _, usage in asked)


def test_the_rows_of_a_turn_are_its_own() -> None:
    ledger = Ledger()
    for turn in ("t1", "t2"):
        ledger.saw(event("model.requested", turn))
        ledger.saw(replied(inarch.Usage(10, 1, cost_usd=Decimal(1)), turn))
    assert [row.input_tokens for row in ledger.rows("t2")] == [10]
    assert ledger.rows("t1") == ()
    assert ledger.total().input_tokens == 20


def test_a_request_that_was_never_answered_has_an_unknown_cost() -> None:
    ledger = Ledger()
    ledger.saw(event("model.requested"))
    assert (ledger.total().requests, ledger.total().unknown, ledger.total().cost_usd) == (1, 1, Decimal(0))


DECISION = '{"requires_tool_call": false, "reasoning": "no"}'


def test_decisions_and_answers_are_told_apart_and_a_resumed_session_goes_on_with_its_sums(tmp_path: Path) -> None:
    config = {"profiles": {"default": {"strategy": ["structured", "native"]}}}
    usage = inarch.Usage(100, 10, cost_usd=Decimal("0.01"))
    script = [says(DECISION, inarch.Usage(50, 5, cost_usd=Decimal("0.001"))), says("one", usage)]
    places = {name: str(tmp_path / "home") for name in ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")}
    root = tmp_path / "root"
    root.mkdir()

    async def turn(session_id: str | None) -> tuple[str, dict[str, Any]]:
        app, _ = scripted_app(script, root, config=config, journal=True, environ=places)
        session = app.session(session_id)
        await session.run(f"hello {session_id}")
        ended = app.store.load(session.id)[-1]
        await app.aclose()
        return session.id, dict(ended.data)

    session_id, first = asyncio.run(turn(None))
    assert [(row["purpose"], row["plugin"], row["requests"]) for row in first["spent"]] == [
        ("decision", "dispatch", 1),
        ("turn", "", 1),
    ]
    assert Decimal(first["session"]["cost_usd"]) == Decimal("0.011")
    _, second = asyncio.run(turn(session_id))
    assert (second["session"]["requests"], second["session"]["input_tokens"]) == (4, 300)
    assert Decimal(second["session"]["cost_usd"]) == Decimal("0.022")
    assert sum(row["requests"] for row in second["spent"]) == 2


def test_failed_attempts_are_counted_with_what_they_cost(tmp_path: Path) -> None:
    refused = inarch.ProviderError("server", "busy", status=503, retryable=True, retry_after=0.0)
    cut: Step = [inarch.TextDelta("half of"), inarch.UsageDelta(inarch.Usage(40, 4, cost_usd=Decimal("0.5")))]
    silent: Step = [inarch.TextDelta("nothing is known of this")]
    model = ScriptedModel([[refused], calls(("list_files", {})), cut, silent, says("done")])
    app, _ = scripted_app(model, tmp_path)

    async def go() -> inarch.Turn:
        session = app.session()
        events = [event async for event in session.stream("go")]
        await app.aclose()
        (row,) = events[-1].data["spent"]
        assert (row["requests"], row["failed"], row["unknown"]) == (5, 3, 1)
        assert Decimal(row["cost_usd"]) == Decimal("0.5")
        errors = [event.data["error"] for event in events if event.kind == "model.replied"]
        assert errors == ["server", "", "malformed", "malformed", ""]
        return session.turns[-1]

    turn = asyncio.run(go())
    assert (turn.status, turn.content, turn.usage.cost_usd) == ("done", "done", None)
    assert turn.usage.input_tokens > 60  # the estimate of the reply that told nothing, too
