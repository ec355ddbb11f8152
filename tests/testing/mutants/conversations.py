"""A right interactive front end, and one that is wrong in one way for each test of `ConversationContract`."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import inarch
from inarch.testing import ConversationContract


class Lines:
    """Reads a prompt a line from standard input and writes each answer."""

    name = "lines"

    def show(self, event: inarch.Event) -> None:
        if event.kind == "model.delta":
            print(event.data["text"], end="", flush=True)

    async def approve(self, batch: Sequence[inarch.ApprovalRequest]) -> Sequence[inarch.Approval]:
        return []

    def close(self) -> None:
        print()

    def converse(self, launch: inarch.Launch) -> int:
        return asyncio.run(self.talk(launch))

    async def talk(self, launch: inarch.Launch) -> int:
        app = launch.compose(self)
        try:
            session = launch.session(app)
            for line in sys.stdin:
                await launch.run(session, line.strip())
            return 0
        finally:
            await app.aclose()


class Suite(ConversationContract):
    front_end: type[Lines] = Lines
    folder: Path

    def make(self) -> Any:
        return self.front_end()


class Waits(Lines):
    async def converse(self, launch: inarch.Launch) -> int:  # type: ignore[override]
        return await self.talk(launch)


class Forgets(Lines):
    async def talk(self, launch: inarch.Launch) -> int:
        app = launch.compose(self)
        try:
            for line in sys.stdin:
                await launch.run(launch.session(app), line.strip())
            return 0
        finally:
            await app.aclose()


class AsksUnasked(Lines):
    async def talk(self, launch: inarch.Launch) -> int:
        app = launch.compose(self)
        try:
            await launch.run(launch.session(app), sys.stdin.readline().strip() or "hello?")
            return 0
        finally:
            await app.aclose()


class LeavesItOpen(Lines):
    async def talk(self, launch: inarch.Launch) -> int:
        session = launch.session(launch.compose(self))
        for line in sys.stdin:
            await launch.run(session, line.strip())
        return 0


class Swallows(Lines):
    def converse(self, launch: inarch.Launch) -> int:
        try:
            return super().converse(launch)
        except inarch.InarchError:
            return 2


WRONG: dict[str, type[Lines]] = {
    "test_members_fit": Waits,
    "test_every_prompt_runs_in_one_session": Forgets,
    "test_the_end_of_input_ends_it": AsksUnasked,
    "test_what_was_composed_is_closed": LeavesItOpen,
    "test_what_keeps_it_from_composing_is_raised": Swallows,
}


def suite(wrong: str = "") -> Suite:
    made = Suite()
    made.front_end = WRONG.get(wrong, Lines)
    return made
