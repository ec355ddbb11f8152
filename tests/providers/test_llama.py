"""The wire against a real inference server: llama.cpp with a small model. What the model says is not judged."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import inarch
from inarch_plugins.commands.doctor.checkup import local_servers

pytestmark = [pytest.mark.once, pytest.mark.slow]

MODEL = "openai-compatible/smollm2"


def settings(address: str, most: int) -> dict[str, Any]:
    """Return settings under which the model says the same each time, and not much."""
    return {"base_url": f"{address}/v1", "extra": {"temperature": 0, "seed": 1, "max_tokens": most}, "silence_s": 600.0}


def compose(root: Path, address: str, most: int = 24, context_tokens: int | None = None, **profile: Any) -> inarch.App:
    table = {"plugins": ["sandbox-fs", "dispatch"], "model": "openai-compatible", **profile}
    server = settings(address, most) | ({"context_tokens": context_tokens} if context_tokens else {})
    return inarch.compose(
        root=root,
        config={"plugins": {"openai-compatible": server}, "profiles": {"default": table}},
        environ={"HOME": str(root)},
        journal=False,
    )


def request(prompt: str, **more: Any) -> inarch.ModelRequest:
    return inarch.ModelRequest("smollm2", "", (inarch.Message("user", (inarch.Text(prompt),)),), **more)


async def turn_of(app: inarch.App, prompt: str) -> tuple[inarch.Turn, list[inarch.Event]]:
    try:
        session = app.session()
        events = [event async for event in session.stream(prompt)]
        return session.turns[-1], events
    finally:
        await app.aclose()


async def deltas_of(app: inarch.App, asked: inarch.ModelRequest) -> list[inarch.Delta]:
    try:
        answer = app.composition.models["openai-compatible"].value.answer(asked)
        return [delta async for delta in answer]
    finally:
        await app.aclose()


def test_a_question_is_answered_by_the_model_that_the_server_has(llama: str, tmp_path: Path) -> None:
    turn, events = asyncio.run(turn_of(compose(tmp_path, llama), "What is the capital of France?"))
    assert (turn.status, turn.error, turn.model) == ("done", None, MODEL)
    assert turn.content.strip()
    assert turn.usage.input_tokens > 50 and 0 < turn.usage.output_tokens <= 24
    assert turn.usage.cost_usd is None  # what the user's own machine costs nobody has said
    shown = "".join(event.data["text"] for event in events if event.kind == "model.delta")
    assert shown.strip() == turn.content.strip()


def test_a_decision_is_json_of_its_schema(llama: str, tmp_path: Path) -> None:
    app = compose(tmp_path, llama, 300, strategy=["structured", "native"])
    turn, events = asyncio.run(turn_of(app, "List the files."))
    assert turn.status == "done", turn.error
    replies = [event.data for event in events if event.kind == "model.replied"]
    decision = next(data for data in replies if data["purpose"] == "decision")
    data = json.loads(decision["message"]["parts"][0]["text"])
    assert isinstance(data["requires_tool_call"], bool)
    assert any(event.kind == "decision.made" for event in events)


def test_what_does_not_fit_is_an_error_that_says_what_to_do(llama: str, tmp_path: Path) -> None:
    app = compose(tmp_path, llama, context_tokens=1_000_000)  # so that the server finds out
    with pytest.raises(inarch.ProviderError, match="4096") as caught:
        asyncio.run(deltas_of(app, request("word " * 6_000)))
    error = caught.value
    assert (error.kind, error.status, error.retryable) == ("context_length", 400, False)
    assert error.remedy == "begin a new session, or ask about less"


def test_the_server_tells_its_context_before_it_gets_what_does_not_fit(llama: str, tmp_path: Path) -> None:
    with pytest.raises(inarch.ProviderError, match=r"has a context of 4096 tokens.*more with -c") as caught:
        asyncio.run(deltas_of(compose(tmp_path, llama), request("word " * 6_000)))
    assert (caught.value.kind, caught.value.was_sent) == ("context_length", False)


@pytest.fixture
def environ(llama: str, own_home: Path) -> dict[str, str]:
    """Return the variables of a user who has written down where the server is."""
    config = own_home / "config" / "inarch" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(
        f'[plugins.openai-compatible]\nbase_url = "{llama}/v1"\nextra = {{ temperature = 0, seed = 1 }}\n', "utf-8"
    )
    return {**os.environ, "HOME": str(own_home)}


def run(environ: dict[str, str], root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", "-m", "inarch", *words]
    return subprocess.run(command, cwd=root, env=environ, capture_output=True, text=True)


def test_models_check_tells_what_works_and_what_to_do_about_the_rest(environ: dict[str, str], tmp_path: Path) -> None:
    done = run(environ, tmp_path, "models", "check", "--json")
    assert done.returncode == 1, done.stderr + done.stdout
    report = json.loads(done.stdout)
    assert report["auto"]["model"] == MODEL and "your server" in report["auto"]["why"]
    (model,) = report["models"]
    assert (model["model"], model["context_tokens"], model["price"]) == (MODEL, 4096, None)
    checks = {check["name"]: check for check in model["checks"]}
    assert [check["state"] for check in checks.values()] == ["works", "fails", "works"], checks
    # The model's template leaves tools out, so it never hears of them.
    assert "--jinja" in checks["tool call"]["remedy"]
    assert all(check["usage"]["input_tokens"] and check["usage"]["cost_usd"] is None for check in checks.values())


def test_doctor_finds_the_server(llama: str) -> None:
    ((address, _, models),) = local_servers([(int(llama.rpartition(":")[2]), "llama.cpp")])
    assert (address, models) == (f"{llama}/v1", ("smollm2",))
