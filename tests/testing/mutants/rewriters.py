"""A right rewriter, and one that is wrong in one way for each test of `RewriterContract`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import inarch
from inarch.testing import RewriterContract

LEFT: list[asyncio.Task[None]] = []


class Moving:
    name = "moving"
    folder: Path

    def rewrite(self, call: inarch.ToolCall, tool: inarch.Tool, context: inarch.ToolContext) -> Any:
        return inarch.Rewrite({"file_path": "README.md"}) if call.arguments["file_path"] == "OLD.md" else None


class Suite(RewriterContract):
    rewriter: type[Moving] = Moving
    folder: Path
    wanted = (("read_file", {"file_path": "OLD.md"}),)

    def make(self) -> Moving:
        made = self.rewriter()
        made.folder = self.folder
        return made


class Unnamed(Moving):
    name = "a rewriter"


class Rubbish(Moving):
    def rewrite(self, *_: Any) -> Any:
        return {"file_path": "README.md"}


class OnlyAscii(Moving):
    def rewrite(self, call: inarch.ToolCall, *_: Any) -> Any:
        call.arguments["file_path"].encode("ascii")


class Leaving(Moving):
    async def rewrite(self, *_: Any) -> Any:
        LEFT.append(asyncio.ensure_future(asyncio.sleep(3600)))


class Doubling(Moving):
    def rewrite(self, call: inarch.ToolCall, *_: Any) -> Any:
        return inarch.Rewrite({"file_path": f"{call.arguments['file_path']}x"})


class Writing(Moving):
    def rewrite(self, *_: Any) -> Any:
        (self.folder / "workspace/mine.txt").write_text("mine")


WRONG: dict[str, type[Moving]] = {
    "test_name_and_method_fit": Unnamed,
    "test_what_it_says_is_well_formed_and_in_time": Rubbish,
    "test_any_text_is_taken": OnlyAscii,
    "test_nothing_is_printed_or_left_running": Leaving,
    "test_a_call_that_it_rewrote_stays_as_it_is": Doubling,
    "test_it_changes_nothing_itself": Writing,
}


def suite(wrong: str = "") -> Suite:
    made = Suite()
    made.grace_s = 0.5 if wrong else made.grace_s
    made.rewriter = WRONG.get(wrong, Moving)
    return made
