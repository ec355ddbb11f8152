"""A right end guard, and one that is wrong in one way for each test of `EndGuardContract`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import inarch
from inarch.testing import EndGuardContract


class Polite:
    name = "polite"

    async def hold(self, ending: inarch.Ending) -> Any:
        return None if "two" in ending.answer else "say two"


class Suite(EndGuardContract):
    guard: type[Polite] = Polite
    folder: Path

    def make(self) -> Polite:
        return self.guard()


class Unnamed(Polite):
    name = "a guard"


class Rubbish(Polite):
    async def hold(self, ending: inarch.Ending) -> Any:
        return 7


class OnlyAscii(Polite):
    async def hold(self, ending: inarch.Ending) -> Any:
        return f"say it again: {ending.answer.encode('ascii').decode()}"


class Printing(Polite):
    async def hold(self, ending: inarch.Ending) -> Any:
        print("hello")


class Long(Polite):
    async def hold(self, ending: inarch.Ending) -> Any:
        return "word " * 10_000


WRONG: dict[str, type[Polite]] = {
    "test_name_and_method_fit": Unnamed,
    "test_what_it_says_is_well_formed_and_in_time": Rubbish,
    "test_any_text_is_taken": OnlyAscii,
    "test_nothing_is_printed_or_left_running": Printing,
    "test_its_reason_is_short": Long,
}


def suite(wrong: str = "") -> Suite:
    made = Suite()
    made.guard = WRONG.get(wrong, Polite)
    return made
