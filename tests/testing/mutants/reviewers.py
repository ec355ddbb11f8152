"""A right reviewer, and one that is wrong in one way for each test of `ReviewerContract`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import inarch
from inarch.testing import ReviewerContract


class Counting:
    name = "counting"
    folder: Path

    async def review(self, call: inarch.ToolCall, tool: inarch.Tool, context: inarch.ToolContext) -> Any:
        return "it went well" if call.result is not None and call.result.success else None


class Suite(ReviewerContract):
    reviewer: type[Counting] = Counting
    folder: Path

    def make(self) -> Counting:
        made = self.reviewer()
        made.folder = self.folder
        return made


class Unnamed(Counting):
    name = "a reviewer"


class Rubbish(Counting):
    async def review(self, *_: Any) -> Any:
        return 7


class OnlyAscii(Counting):
    async def review(self, call: inarch.ToolCall, *_: Any) -> Any:
        call.arguments["file_path"].encode("ascii")


class Printing(Counting):
    async def review(self, *_: Any) -> Any:
        print("hello")


class Long(Counting):
    async def review(self, *_: Any) -> Any:
        return "word " * 10_000


class Writing(Counting):
    async def review(self, *_: Any) -> Any:
        (self.folder / "workspace/mine.txt").write_text("mine")


WRONG: dict[str, type[Counting]] = {
    "test_name_and_method_fit": Unnamed,
    "test_what_it_says_is_well_formed_and_in_time": Rubbish,
    "test_any_text_is_taken": OnlyAscii,
    "test_nothing_is_printed_or_left_running": Printing,
    "test_its_texts_are_short": Long,
    "test_what_it_changes_is_the_calls": Writing,
}


def suite(wrong: str = "") -> Suite:
    made = Suite()
    made.reviewer = WRONG.get(wrong, Counting)
    return made
