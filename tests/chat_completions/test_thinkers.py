"""Services that refuse a conversation without the thoughts that they sent: long sessions, resumed and switched."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field

import inarch
from inarch.testing import HttpServer

from ..services.deepseek_api import DeepSeekApi


@define
class Desk:
    """A project, a home and the service."""

    root: Path
    service: DeepSeekApi
    url: str
    profile: dict[str, Any] = field(factory=dict)
    session: str | None = None

    @property
    def environ(self) -> Mapping[str, str]:
        """The environment of the program."""
        home = str(self.root.parent / "home")
        kinds = ("CONFIG", "STATE", "CACHE")
        return {"HOME": home, **{f"XDG_{kind}_HOME": f"{home}/{kind.lower()}" for kind in kinds}}

    @property
    def config(self) -> dict[str, Any]:
        """The configuration of the user."""
        profile = {"strategy": ["native"], "approve": "all", **self.profile}
        return {"plugins": {"openai-compatible": {"base_url": self.url}}, "profiles": {"default": profile}}

    def talk(self, model: str, turns: int) -> None:
        """Run turns of the session; each has to end well."""

        async def go() -> None:
            flags = {"model": f"openai-compatible/{model}"}
            async with inarch.compose(root=self.root, config=self.config, flags=flags, environ=self.environ) as app:
                session = app.session(self.session)
                self.session = session.id
                for number in range(turns):
                    turn = await session.run(f"read it, {number}")
                    assert (turn.status, turn.error) == ("done", None)
                    assert len(turn.calls) == 1

        asyncio.run(go())

    def go_on(self, model: str) -> None:
        """Run one turn in a process of its own."""
        settings = {"INARCH_PLUGIN_OPENAI_COMPATIBLE__BASE_URL": self.url, "PATH": os.environ["PATH"]}
        words = ["--model", f"openai-compatible/{model}", "--approve", "all", "--continue", "read it again"]
        command = [sys.executable, "-P", "-m", "inarch", *words]
        environ = {**os.environ, **self.environ, **settings}
        done = subprocess.run(command, cwd=self.root, env=environ, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    root = tmp_path / "work"
    root.mkdir()
    (root / "a.txt").write_text("one\ntwo\n", "utf-8")
    service = DeepSeekApi()
    with HttpServer([service.reply]) as server:
        yield Desk(root, service, f"{server.url}/v1")


def test_fifteen_turns_with_calls_and_a_resume_are_refused_nothing(desk: Desk) -> None:
    desk.talk("deepseek-v4-pro", 8)
    desk.go_on("deepseek-v4-pro")
    desk.talk("deepseek-v4-pro", 6)
    assert (desk.service.refusals, desk.service.breaks, len(desk.service.bodies)) == ([], [], 30)
    sent = [message["reasoning_content"] for message in desk.service.bodies[-1]["messages"]
            if message["role"] == "assistant"]  # fmt: skip
    assert sent[-3:] == ["", "Thought 28: what is asked?", "Thought 29: what is asked?"]


def test_kimi_gets_its_thoughts_and_no_temperature(desk: Desk) -> None:
    desk.profile = {
        "strategy": ["structured", "native"],
        "effort": "max",
        "decision_model": "openai-compatible/kimi-k3",
    }
    desk.talk("kimi-k3", 3)
    assert desk.service.refusals == []
    assert all("temperature" not in body for body in desk.service.bodies)
    assert desk.service.bodies[-1]["reasoning_effort"] == "max"


def test_another_models_messages_get_a_blank_where_one_is_wanted(desk: Desk) -> None:
    desk.talk("acme-large", 2)  # its thoughts are its own
    desk.service._given.clear()
    desk.talk("deepseek-v4-pro", 2)
    assert desk.service.refusals == []
    first = next(message for message in desk.service.bodies[-1]["messages"] if message["role"] == "assistant")
    assert first["reasoning_content"] == " "
