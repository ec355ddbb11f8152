"""Turns whose calls a reviewing model on loopback judges, with a person or headless."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import inarch
from inarch.testing import HttpReply, HttpServer, ScriptedModel, Step, scripted_app
from inarch_testing.http_server import Answer, sse_reply

from ..plan.conftest import Person, no, yes
from ..sandbox_fs.test_processes_trying import poor

ADD = "git add -f a.txt"
"""A crossing that an approver may answer: it needs the right `git`."""
ALLOWED = ("reviewer", "reviewer:git", "reviewer:network")
INPUT, OUTPUT = 1_000, 40
"""Tokens of each judgement; a million cost $1 in and $10 out."""


def verdict(outcome: str = "allow", **more: Any) -> dict[str, Any]:
    """Return a judgement that would let `ADD` run."""
    said = {"risk": "low", "asked_for": "exact", "source": "", "sink": "", "rights": ["git"], "reason": "as asked"}
    return {**said, "outcome": outcome, **more}


def answer(text: str | dict[str, Any]) -> HttpReply:
    """Return a streamed reply with a text, or a judgement."""
    text = text if isinstance(text, str) else json.dumps(text)
    parts = [{"delta": {"content": text}, "finish_reason": None}, {"delta": {}, "finish_reason": "stop"}]
    chunks = [{"id": "g", "model": "judge", "choices": [{"index": 0, **part}]} for part in parts]
    usage = {"prompt_tokens": INPUT, "completion_tokens": OUTPUT, "total_tokens": INPUT + OUTPUT}
    return sse_reply([*chunks, {"id": "g", "model": "judge", "choices": [], "usage": usage}])


class Desk:
    """A repository, turns there, and what they left."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.events: list[inarch.Event] = []
        self.bodies: list[bytes] = []
        self.shown: list[str] = []
        self.person = Person()
        self.session_id = ""

    @contextmanager
    def judged_by(self, *replies: Answer, **settings: Any) -> Iterator[dict[str, Any]]:
        """Serve the reviewer's model; yield the options of the program."""
        with HttpServer(list(replies)) as server:
            service = {"base_url": f"{server.url}/v1", "input_price": 1, "output_price": 10}
            plugins = ["...", "reviewer", "openai-compatible"]
            yield {
                "plugins": {"reviewer": {"model": "openai-compatible/judge", **settings}, "openai-compatible": service},
                "profiles": {"default": {"plugins": plugins}},
            }
            self.bodies = [one.body for one in server.requests if one.path.endswith("/chat/completions")]

    def talk(
        self,
        script: Sequence[Step],
        *replies: Answer,
        lines: Sequence[str] = ("stage a.txt",),
        answers: dict[str, Any] | None = None,
        may_allow: Sequence[str] = ALLOWED,
        settings: dict[str, Any] | None = None,
        rules: Sequence[Any] = (),
        environ: dict[str, str] | None = None,
        **flags: Any,
    ) -> inarch.Turn:
        """Run lines and return the last turn; without answers no user can be asked."""

        async def go(config: dict[str, Any]) -> inarch.Turn:
            self.config = {**config, "may_allow": list(may_allow), "rules": list(rules)}
            options: dict[str, Any] = {"config": self.config, "flags": {"approve": "auto", **flags}}
            options |= {} if environ is None else {"environ": environ}
            if answers is not None:
                self.person = options["front_end"] = Person(answers)
            app, self.model = scripted_app(ScriptedModel(script), self.root, journal=True, **options)
            assert not app.composition.refused
            session = app.session()
            self.session_id = session.id
            session.state.journal.listeners.append(self.events.append)
            try:
                for line in lines:
                    for prompt in await app.command(session, line, self.shown.append) if line[0] == "/" else [line]:
                        turn = await session.run(prompt)
            finally:
                await app.aclose()
            return turn

        self.events.clear()
        with self.judged_by(*replies, **(settings or {})) as config:
            return asyncio.run(go(config))

    def of(self, kind: str) -> list[dict[str, Any]]:
        """Return the data of the events of a kind."""
        return [dict(event.data) for event in self.events if event.kind == kind]

    @property
    def given(self) -> list[tuple[str, str]]:
        """Who answered, and what."""
        return [(one["by"], one["outcome"]) for one in self.of("approval.given")]

    @property
    def codes(self) -> list[str]:
        """The error codes of the calls, "" for success."""
        return [(one["result"].get("error") or {}).get("code", "") for one in self.of("call.result")]

    @property
    def asked(self) -> list[dict[str, Any]]:
        """What the reviewer's model was shown."""
        found = [json.loads(body)["messages"][-1]["content"] for body in self.bodies]
        return [json.loads(text.split("\n")[1]) for text in found]

    @property
    def staged(self) -> str:
        """Names of staged files."""
        words = ["git", "-C", str(self.root), "diff", "--cached", "--name-only"]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout


__all__ = ["Desk", "no", "poor", "yes"]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A repository with a file that is not staged."""
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.txt").write_text("one\n")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    return Desk(root)
