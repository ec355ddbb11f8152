"""What is told of a service before anything is sent, and which model is named in place of one that is not there."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from inarch.testing import HttpServer, json_reply
from inarch.turns.services import nearest_model

from .test_asking import Played, _At, chat, play

FIRST = "first use of OpenRouter: your prompts and the files it reads go to 0.0.0.0; "


def elsewhere(server: HttpServer) -> _At:
    """The server at an address that does not look like this machine's."""
    return _At(server.url.replace("127.0.0.1", "0.0.0.0"))


@pytest.fixture
def server() -> Iterator[HttpServer]:
    with HttpServer([chat("fine")] * 8) as server:
        yield server


def firsts(played: Played) -> list[str]:
    return [note["text"] for note in played.of("note") if note["text"].startswith("first use")]


def run(root: Path, server: HttpServer, model: str = "openrouter/anthropic/claude-sonnet-5.5", **more: Any) -> Played:
    return play(root, model, {"openrouter": elsewhere(server)}, **more)


def test_a_service_is_told_once_with_model_and_price_before_anything_is_sent(
    tmp_path: Path, server: HttpServer
) -> None:
    played = run(tmp_path, server, prompts=("one", "two"))
    price = (
        "openrouter/anthropic/claude-sonnet-5.5, $2 in, $10 out for a million tokens (--model offline sends nothing)"
    )
    assert firsts(played) == [FIRST + price]
    kinds = [event.kind for event in played.events]
    assert kinds.index("note") < kinds.index("context.added" if "context.added" in kinds else "model.requested")
    assert firsts(run(tmp_path, server)) == []


def test_another_service_is_reported_and_a_fallback_too(tmp_path: Path) -> None:
    busy = json_reply({"error": {"message": "You exceeded your current quota"}}, 429)
    with HttpServer([busy]) as first, HttpServer([chat("fine")]) as second:
        servers = {"openrouter": elsewhere(first), "openai-compatible": elsewhere(second)}
        played = play(tmp_path, "openrouter/x", servers, fallback=["openai-compatible/y"])
    assert [text.partition(":")[0] for text in firsts(played)] == [
        "first use of OpenRouter",
        "first use of openai-compatible",
    ]
    assert "price unknown" in firsts(played)[1]


def test_a_model_on_this_machine_is_not_announced(tmp_path: Path, server: HttpServer) -> None:
    assert firsts(play(tmp_path, "openai-compatible/x", {"openai-compatible": server})) == []
    assert firsts(play(tmp_path, "offline", {})) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_what_can_not_be_remembered_is_told_again(tmp_path: Path, server: HttpServer) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o500)
    assert firsts(run(tmp_path, server)) and firsts(run(tmp_path, server))


def listing(rows: Mapping[str, str]) -> dict[str, Any]:
    reply = json_reply({"data": [{"id": name, "expiration_date": day} for name, day in rows.items()]})
    return {"GET /v1/models": reply}


def test_a_model_that_is_not_there_has_the_nearest_of_the_services_list_named(tmp_path: Path) -> None:
    gone = json_reply({"error": {"message": "The model `acme/large-3` does not exist", "code": "model_not_found"}}, 404)
    rows = {"acme/large-4": "", "acme/large-5": "", "acme/small-6": "", "acme/large-2": "2020-01-01"}
    with HttpServer([gone, gone], listing(rows)) as server:
        for _ in range(2):
            played = run(tmp_path, server, "openrouter/acme/large-3")
            assert "did you mean openrouter/acme/large-5?" in str(played.turns[0].error)
        assert [request.path for request in server.requests].count("/v1/models") == 1  # once a day


def test_without_a_list_the_table_names_it(tmp_path: Path) -> None:
    gone = json_reply({"error": {"message": "no such model"}}, 404)
    with HttpServer([gone, json_reply({}, 500)]) as server:
        played = run(tmp_path, server, "openrouter/anthropic/claude-sonnet-4.5")
    assert "did you mean openrouter/anthropic/claude-sonnet-5.5?" in str(played.turns[0].error)


def test_a_model_that_retires_is_reported_with_its_day_and_what_to_take(tmp_path: Path, server: HttpServer) -> None:
    soon = (datetime.now(UTC).date() + timedelta(days=9)).isoformat()
    kept = tmp_path / "home" / ".cache" / "inarch" / "models" / "openrouter.json"
    kept.parent.mkdir(parents=True)
    address = elsewhere(server).url + "/v1"
    kept.write_text(json.dumps({"version": 1, "address": address, "day": "2020-01-01", "models": {"x": soon}}))
    texts = [note["text"] for note in run(tmp_path, server, "openrouter/x", prompts=("one", "two")).of("note")]
    assert texts.count(f"openrouter/x retires on {soon}; take openrouter/openrouter/auto") == 1


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("claude-sonnet-4-5-20250929", "claude-sonnet-5-5"),
        ("claude-sonnet-5", "claude-sonnet-5-5"),
        ("gpt-6.2-soll", "gpt-6.2-sol"),
        ("gemini-2.5-pro", "gemini-3.1-pro"),
        ("zzz", ""),
    ],
)
def test_the_nearest_is_the_newest_of_the_family_or_the_most_like(name: str, nearest: str) -> None:
    known = ["claude-sonnet-5-5", "claude-sonnet-4-8", "claude-opus-5-5", "gpt-6.2-sol", "gpt-6-luna", "gemini-3.1-pro"]
    assert nearest_model(name, known) == nearest
