"""Situations for strategies: a real workspace, real tools, and a scripted model."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from attrs import define, field

from inarch import App, compose
from inarch.contract.ids import new_id, utc_now
from inarch.contract.ports import Situation
from inarch.contract.records import Message, ModelRequest, Reply, Text, ToolSpec, Turn, Usage
from inarch_testing.apps import environ_in, write_files


@define(eq=False)
class Asked:
    """Fake of `situation.ask`: it replies in order, raises an error, or never answers for None."""

    answer: Sequence[str] | Exception | None
    requests: list[ModelRequest] = field(factory=list)

    async def ask(self, request: ModelRequest) -> Reply:
        """Answer the next request."""
        self.requests.append(request)
        await asyncio.sleep(0)
        if self.answer is None:
            await asyncio.Event().wait()
        if isinstance(self.answer, Exception):
            raise self.answer
        texts = self.answer or ("",)
        text = texts[min(len(self.requests), len(texts)) - 1]
        return Reply(Message("assistant", (Text(text),)), (), Usage(10, 5), "stop")


def replies(*texts: str) -> Asked:
    """Return an object that answers with these texts in order; the last one repeats."""
    return Asked(texts)


@define(eq=False)
class Desk:
    """Workspace with files and tools that creates situations."""

    app: App
    root: Path
    tools: tuple[ToolSpec, ...]

    def situation(self, prompt: str, asked: Asked, **fields: Any) -> Situation:
        """Return the situation at the start of a turn with this prompt."""
        turn = Turn(new_id(), "agent", new_id(), new_id(), utc_now(), content=prompt)
        known: dict[str, Any] = {
            "messages": (Message("user", (Text(prompt),)),),
            "tools": self.tools,
            "decision_model": "small",
            **fields,
        }
        return Situation(turn=turn, workspace=self.app.workspace, ask=asked.ask, **known)


@contextmanager
def situations(folder: Path, files: Mapping[str, str | bytes], tools: Sequence[ToolSpec] = ()) -> Iterator[Desk]:
    """Compose an application over a folder with these files, for situations in it."""
    root = folder / "workspace"
    write_files(root, files)
    root.mkdir(parents=True, exist_ok=True)
    config = {"profiles": {"default": {"plugins": ["sandbox-fs"]}}}
    with compose(root=root, config=config, environ=environ_in(folder / "home"), journal=False) as app:
        yield Desk(app, root, tuple(tools) or app.parts.tools.specs)
