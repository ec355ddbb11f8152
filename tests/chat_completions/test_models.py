"""Which model is asked: the server's first, the one that `auto` finds, and what is known of each."""

from __future__ import annotations

import asyncio
import stat
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import inarch
from inarch.testing import HttpServer, json_reply, sse_reply

from .wire import KEY, run, says

LIST = json_reply(
    {
        "data": [
            {"id": "nomic-embed-text"},
            {"id": "tiny", "max_model_len": 4096},
            {"id": "large", "context_length": 9000, "top_provider": {"max_completion_tokens": 500}},
        ]
    }
)
PRICED = json_reply(
    {
        "data": [
            {
                "id": "acme/large",
                "name": "Acme: Large",
                "context_length": 200_000,
                "pricing": {"prompt": "0.000003", "completion": "0.000015", "input_cache_read": "0.0000003"},
            },
            {"id": "openrouter/auto", "pricing": {"prompt": "-1", "completion": "-1"}},
            {"id": "odd", "pricing": {"prompt": "NaN", "completion": None}},
        ]
    }
)


def provider_of(home: Path, name: str, base_url: str, **settings: Any) -> inarch.ModelProvider:
    app = inarch.compose(
        root=home,
        config={"plugins": {name: {"base_url": base_url, **settings}}},
        flags={"model": name},
        environ={"HOME": str(home), "OPENROUTER_API_KEY": KEY},
        journal=False,
    )
    return app.composition.models[name].value


async def listed(provider: inarch.ModelProvider) -> list[inarch.ModelInfo]:
    try:
        return list(await provider.models())
    finally:
        await provider.close()


def test_the_servers_first_model_that_talks_is_asked_for_once(tmp_path: Path) -> None:
    routes = {"GET /v1/models": LIST}
    found = run(tmp_path / "w", [sse_reply(says("well"))], ["a", "b"], "openai-compatible", "", routes)
    assert [request.path for request in found.requests].count("/v1/models") == 1
    assert [body["model"] for body in found.bodies] == ["tiny", "tiny"]
    assert found.turn.model == "openai-compatible/tiny"


@pytest.mark.parametrize("name", ["openai-compatible", "auto"])
def test_the_first_turn_is_recorded_under_the_name_that_the_server_gave(tmp_path: Path, name: str) -> None:
    with HttpServer([sse_reply(says("well"))], {"GET /models": LIST}) as server:
        tables = {"openai-compatible": {"base_url": server.url}}
        environ = {"HOME": str(tmp_path)}
        app = inarch.compose(
            root=tmp_path, config={"plugins": tables}, flags={"model": name}, environ=environ, journal=False
        )
        events = asyncio.run(events_of(app))
    named = {event.data["model"] for event in events if event.kind in ("model.requested", "model.replied")}
    turns = {event.data["turn"]["model"] for event in events if event.kind in ("turn.started", "turn.ended")}
    assert named == {"openai-compatible/tiny"}
    assert turns - {""} == {"openai-compatible/tiny"}


async def events_of(app: inarch.App) -> list[inarch.Event]:
    try:
        return [event async for event in app.session().stream("hello")]
    finally:
        await app.aclose()


@pytest.mark.parametrize(
    "shape", [{"models": ["a", "b"]}, ["a", {"name": "b"}], {"data": [{"id": "a"}, 7, {"id": "b"}]}]
)
def test_lists_of_several_shapes_are_read(tmp_path: Path, shape: Any) -> None:
    with HttpServer(routes={"GET /models": json_reply(shape)}) as server:
        infos = asyncio.run(listed(provider_of(tmp_path, "openai-compatible", server.url)))
    assert [info.name for info in infos] == ["a", "b"]


def test_limits_come_from_the_server_or_the_user(tmp_path: Path) -> None:
    with HttpServer(routes={"GET /models": LIST}) as server:
        provider = provider_of(tmp_path, "openai-compatible", server.url)
        assert provider.limits("tiny") == inarch.Limits()
        asyncio.run(listed(provider))
        assert provider.limits("tiny") == inarch.Limits(4096)
        assert provider.limits("large") == inarch.Limits(9000, 500)
        told = provider_of(tmp_path, "openai-compatible", server.url, context_tokens=100)
        assert told.limits("tiny") == inarch.Limits(100)


def test_prices_of_openrouter_are_kept_for_the_next_run_and_nobody_else(tmp_path: Path) -> None:
    with HttpServer(routes={"GET /models": PRICED}) as server:
        provider = provider_of(tmp_path, "openrouter", server.url)
        assert provider.price("acme/large") is None
        asyncio.run(listed(provider))
        again = provider_of(tmp_path, "openrouter", server.url)
        assert len(server.requests) == 1
        expected = inarch.Price(Decimal(3), Decimal(15), Decimal("0.3"))
        for one in (provider, again):
            assert one.price("acme/large") == expected
            assert one.price("openrouter/auto") is one.price("odd") is one.price("gone") is None
            assert one.limits("acme/large") == inarch.Limits(200_000)
    (kept,) = tmp_path.rglob("models.json")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert KEY not in kept.read_text("utf-8")


def auto(home: Path, base_url: str, **environ: str) -> inarch.App:
    tables = {"openai-compatible": {"base_url": base_url}} if base_url else {}
    variables = {"HOME": str(home), **environ}
    return inarch.compose(
        root=home, config={"plugins": tables}, flags={"model": "auto"}, environ=variables, journal=False
    )


def model_of(app: inarch.App) -> inarch.Turn:
    async def go() -> inarch.Turn:
        try:
            return await app.session().run("hello")
        finally:
            await app.aclose()

    return asyncio.run(go())


def test_auto_takes_the_users_server_where_no_key_is_set_and_something_listens(tmp_path: Path) -> None:
    with HttpServer([sse_reply(says("well"))], {"GET /models": LIST}) as server:
        turn = model_of(auto(tmp_path, server.url))
        assert (turn.model.partition("/")[0], turn.content) == ("openai-compatible", "well")
        named = {"INARCH_PLUGIN_OPENAI_COMPATIBLE__BASE_URL": server.url}
        assert model_of(auto(tmp_path, "", **named)).model.startswith("openai-compatible/")


def test_auto_looks_for_no_server_where_a_key_is_set(tmp_path: Path) -> None:
    with HttpServer([sse_reply(says("well"))]) as server:
        app = auto(tmp_path, server.url, OPENROUTER_API_KEY=KEY)
        assert app.choice().full_name.startswith("openrouter/")
        app.close()
        assert server.requests == []


def test_a_trusted_projects_address_does_not_count_for_auto(tmp_path: Path) -> None:
    from inarch.config.trust import Trust

    with HttpServer([sse_reply(says("well"))], {"GET /models": LIST}) as server:
        place = tmp_path / ".inarch"
        place.mkdir()
        (place / "config.toml").write_text(f'[plugins.openai-compatible]\nbase_url = "{server.url}"\n', "utf-8")
        environ = {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}
        state = tmp_path / "state" / "inarch"
        Trust(str(tmp_path), state).grant(Trust(str(tmp_path), state).standing().files)
        app = inarch.compose(root=tmp_path, flags={"model": "auto"}, environ=environ, journal=False)
        assert app.config.trusted
        assert model_of(app).model.startswith("offline/")
        assert server.requests == []


@pytest.mark.parametrize(
    ("base_url", "settings", "sent"),
    [
        ("http://127.0.0.1:1/v1", {}, False),
        ("http://127.0.0.1:1/v1", {"api_key_env": "OPENAI_API_KEY"}, True),
        ("https://models.example/v1", {}, True),
        ("https://models.example/v1", {"api_key_env": ""}, False),
        ("http://models.example/v1", {}, False),
        ("https://localhost:1/v1", {}, False),
        ("https://models.example/v1", {"api_key_env": "OTHER"}, False),
    ],
)
def test_a_key_goes_only_where_the_user_wants_it(base_url: str, settings: dict[str, str], sent: bool) -> None:
    from inarch_plugins.openai.compatible import Settings, inarch_models
    from inarch_plugins.openai.wire_choice import EitherWire

    given = Settings(base_url=base_url, **settings)  # type: ignore[arg-type]
    (provider,) = inarch_models(inarch.PluginContext("x", ".", given, environ={"OPENAI_API_KEY": KEY}))
    assert isinstance(provider, EitherWire)
    assert (KEY in str(provider.service.headers)) == sent
    assert (provider.missing is not None) == (settings.get("api_key_env") == "OTHER")
