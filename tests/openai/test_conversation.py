"""Long sessions with the service that remembers: nothing is refused, no thought dropped, and the cache is met."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from attrs import frozen

import inarch
from inarch.testing import HttpServer

from ..services.openai_api import OpenAIService
from .wire import compose

TURNS = 15


@frozen
class Act:
    """Something that is done to a session between two of its turns."""

    turn: int
    do: Callable[[inarch.Session], object]


def held(root: Path, turns: int, acts: Sequence[Act] = (), processes: int = 1, prompt: str = "call 1") -> OpenAIService:
    """Lead a session, in several applications one after the other, and return the service."""
    service, session_id, number = OpenAIService(), None, 0

    async def go(url: str) -> None:
        nonlocal session_id, number
        async with compose(root, url, journal=True) as app:
            session = app.session(session_id)
            session_id = session.id
            for _ in range(turns // processes + (turns % processes if number == 0 else 0)):
                for act in acts:
                    if act.turn == number:
                        act.do(session)
                turn = await session.run(f"{prompt}: turn {number}")
                assert turn.status == "done", turn.error
                number += 1

    with HttpServer([service.reply]) as server:
        for _ in range(processes):
            asyncio.run(go(server.url))
    return service


def check(service: OpenAIService, requests: int) -> None:
    """Every request was answered, with all thoughts, and the cache had what it could have."""
    assert (service.refusals, service.removed) == ([], [])
    assert len(service.bodies) == requests
    assert all(body["store"] is False for body in service.bodies)
    before: list[object] = []
    for body in service.bodies:
        assert body["input"][: len(before)] == before, "the input goes on where that of the request before ended"
        before = body["input"]


@pytest.mark.parametrize("prompt", ["call 1", "both 1", "commentary", "refuse"])
def test_ten_turns_lose_nothing(tmp_path: Path, prompt: str) -> None:
    has_calls = prompt.endswith("1")
    check(held(tmp_path / "w", 10, prompt=prompt), 20 if has_calls else 10)


def test_fifteen_turns_with_a_resume_lose_nothing(tmp_path: Path) -> None:
    check(held(tmp_path / "w", TURNS, processes=3), 2 * TURNS)


def test_plan_mode_on_and_off_loses_nothing(tmp_path: Path) -> None:
    acts = [Act(2, lambda session: session.set_approve("plan")), Act(4, lambda session: session.set_approve("ask"))]
    check(held(tmp_path / "w", 6, acts), 12)


def test_thirty_turns_meet_the_cache(tmp_path: Path) -> None:
    service = held(tmp_path / "w", 30)
    check(service, 60)
    assert service.hit_rate >= 0.95
