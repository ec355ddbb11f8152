"""Whatever a service does wrong: a turn ends in text, calls or one clear error, in time, with nothing secret in it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping

import pytest

from ..chat_completions.faults import Fault
from ..chat_completions.wire import KEY
from .faults import CLAUDE_FAULTS, OPENAI_FAULTS
from .wire import CLAUDE, OPENAI, Outcome, outcome

PATIENCE_S = 240.0
AT_ONCE = 60
ALL = [*((OPENAI, fault) for fault in OPENAI_FAULTS), *((CLAUDE, fault) for fault in CLAUDE_FAULTS)]
IDS = [f"{model.partition('/')[0]}: {fault.name}" for model, fault in ALL]
EACH = [*zip(IDS, ALL, strict=True)]
Outcomes = Mapping[str, Outcome | BaseException]
FEW = {
    *(
        {(model, fault.ends in ("text", "calls") and fault.ends): name for name, (model, fault) in reversed(EACH)}
    ).values(),
}
"""For the daily run: one script of each wire and kind of end; each costs LiteLLM half a second."""


def marks(name: str) -> tuple[pytest.MarkDecorator, ...]:
    return () if name in FEW else (pytest.mark.slow,)


# Warnings are errors in tests; in a program the plugin keeps these off the terminal (test_library.py).
pytestmark = [
    pytest.mark.once,
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Outcomes:
    """Run the scripts that are asked for, many at a time: most of their time they wait before they ask again."""
    place = tmp_path_factory.mktemp("faults")
    asked = {item.callspec.params.get("name") for item in request.session.items if hasattr(item, "callspec")}
    chosen = [(name, *script) for name, script in zip(IDS, ALL, strict=True) if name in asked]
    doors = asyncio.Semaphore(AT_ONCE)

    async def one(number: int, model: str, fault: Fault) -> Outcome:
        async with doors, asyncio.timeout(PATIENCE_S):  # what takes longer is a failure of its own
            return await outcome(place / str(number), fault.replies, model=model, settings=fault.settings)

    async def go() -> list[Outcome | BaseException]:
        runs = (one(number, model, fault) for number, (_, model, fault) in enumerate(chosen))
        return await asyncio.gather(*runs, return_exceptions=True)

    return dict(zip((name for name, _, _ in chosen), asyncio.run(go()), strict=True))


def ended(outcome: Outcome | BaseException) -> Outcome:
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome


@pytest.mark.parametrize(
    ("name", "fault"),
    [pytest.param(one, fault, id=one, marks=marks(one)) for one, (_, fault) in zip(IDS, ALL, strict=True)],
)
def test_a_fault_ends_in_text_calls_or_one_clear_error(outcomes: Outcomes, name: str, fault: Fault) -> None:
    turn = ended(outcomes[name]).turn
    if fault.ends in ("text", "calls"):
        assert (turn.status, turn.error) == ("done", None)
        assert turn.content
        assert bool(turn.calls) == (fault.ends == "calls")
    else:
        assert turn.status == "failed"
        assert re.search(fault.ends, turn.error or ""), turn.error


@pytest.mark.parametrize("name", [pytest.param(one, marks=marks(one)) for one in IDS])
def test_no_error_has_a_secret_or_a_terminal_control_in_it(outcomes: Outcomes, name: str) -> None:
    found = ended(outcomes[name])
    assert (found.turn.error or "").isprintable()
    assert len(found.turn.error or "") < 600
    for event in found.events:
        assert KEY[:12] not in event.line
        if event.kind in ("error", "note"):
            assert all(text.isprintable() for text in event.data.values() if isinstance(text, str)), event.line
