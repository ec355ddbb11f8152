"""What a provider needs to be chosen by `model = "auto"`; nothing of it is imported to know."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.plugins.conftest import Site

from inarch import compose
from inarch.plugins.discovery import Ready, own_ready, read_ready
from inarch.turns.models import choose_model
from inarch_sdk.model_table import SERVICES

PROVIDER = """
    import inarch

    class Acme:
        name = default_model = default_decision_model = "acme"
        async def answer(self, request):
            yield inarch.Finish("stop")
        async def models(self): return []
        def limits(self, model): return inarch.Limits()
        def price(self, model): return None
        async def close(self): pass

    @inarch.hookimpl
    def inarch_models(context):
        return [Acme()]
"""
KEYED = [one for one in own_ready() if one.variable]
PLUGINS = sorted({one.plugin for one in KEYED})


@pytest.fixture
def acme(site: Site) -> Site:
    """A distribution with a provider that says that it is ready with a key, and that somebody else's is, too."""
    site.add("acme", PROVIDER)
    entries = site.folder / "acme-1.0.dist-info" / "entry_points.txt"
    more = "[inarch.ready]\nacme = ACME_KEY:rank_5\ngemini = ACME_KEY:rank_1\noffline = nonsense\n"
    more += "acme/fast/small = OTHER_KEY:rank_6\nlitellm/openai/gpt-6 = OTHER_KEY:rank_1\nacme/free = nothing:rank_1\n"
    entries.write_text(entries.read_text() + more)
    return site


def chosen(root: Path, environ: dict[str, str], **more: Any) -> str:
    environ = {"HOME": str(root), **environ}
    with compose(root=root, config={"profiles": {"default": {"model": "auto"}}}, environ=environ, **more) as app:
        return app.choice().full_name


def asks(ready: Ready) -> str:
    """What `auto` asks if this is the first that is ready."""
    return next(f"{one.provider}/{one.model}" for one in SERVICES if (ready.variable, ready.rank) in one.keys)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(keys=st.sets(st.sampled_from(KEYED)), without=st.sets(st.sampled_from(PLUGINS), max_size=3))
def test_of_any_keys_the_first_in_order_is_chosen(tmp_path: Path, keys: set[Ready], without: set[str]) -> None:
    environ = {one.variable: "k" for one in keys}
    left = [one for one in sorted(keys) if one.plugin not in without]
    expected = asks(left[0]) if left else "offline/extractive"
    assert chosen(tmp_path, environ, without=[*without]) == expected


def test_blank_keys_and_those_of_a_workspace_do_not_count(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("OPENAI_API_KEY=sk-of-the-workspace\n")
    assert chosen(tmp_path, {"ANTHROPIC_API_KEY": " "}) == "offline/extractive"


def test_a_server_of_ones_own_that_is_down_is_not_replaced_by_a_service(site: Site) -> None:
    address = {"openai-compatible": {"base_url": "http://127.0.0.1:9/v1"}}
    environ = {"OPENAI_API_KEY": "k"}
    models = site.compose(model="auto", tables=address, environ=environ).models
    choice = choose_model("auto", models, environ)
    assert choice.full_name == "offline/extractive" and "nothing listens at openai-compatible" in choice.note
    assert choose_model("auto", models, {**environ, "OPENROUTER_API_KEY": "k"}).note.startswith("OPENROUTER_API_KEY is")


@pytest.mark.parametrize("target", ["", "KEY", "KEY:", "KEY:rank", "KEY:rank_x", "key:rank_1", "settings:rank_1"])
def test_what_is_not_understood_makes_nothing_ready(target: str) -> None:
    assert read_ready("acme", target) is None


def test_a_plugin_of_the_profile_is_chosen_by_its_key_and_rank(acme: Site) -> None:
    keys = {"ACME_KEY": "k", "GEMINI_API_KEY": "k"}
    composition = acme.compose("acme", model="auto", environ=keys)
    assert [plugin.name for plugin in composition.loaded] == ["acme", "gemini", "offline"]
    assert choose_model("auto", composition.models, keys).full_name == "acme/acme"
    assert choose_model("auto", composition.models, {}).full_name == "offline/extractive"


def test_an_application_says_what_auto_chooses_from_and_what_of_it_is_given(acme: Site) -> None:
    profile = {"model": "auto", "plugins": ["acme"]}
    given = {"profiles": {"default": profile}, "plugins": {"openai-compatible": {"base_url": "http://127.0.0.1:9/v1"}}}
    environ = {"HOME": str(acme.world), "ACME_KEY": "k"}
    with compose(root=acme.world, config=given, environ=environ) as app:
        assert [one.needs for one, is_given in app.ready.items() if is_given] == [
            "ACME_KEY",
            "settings.base_url",
            "nothing",
        ]
        assert {"OTHER_KEY", "OPENAI_API_KEY"} <= {one.needs for one in app.ready}
        assert app.choice().full_name == app.choice("acme").full_name == "acme/acme"


def test_metadata_may_name_the_model(acme: Site) -> None:
    environ = {"HOME": str(acme.world), "OTHER_KEY": "k", "GEMINI_API_KEY": "k"}
    profile = {"model": "auto", "plugins": ["acme"]}
    with compose(root=acme.world, config={"profiles": {"default": profile}}, environ=environ) as app:
        assert app.models.offers == {"OTHER_KEY": "acme/fast/small"}
        assert app.choice().full_name == "acme/fast/small"


@pytest.mark.parametrize(
    ("name", "whole"),
    [
        ("auto", "auto"),
        ("acme", "acme"),
        ("acme/x", "acme/x"),
        ("gpt-6.2-sol", "openai/gpt-6.2-sol"),
        ("claude-opus-5-5", "anthropic/claude-opus-5-5"),
        ("no-such", "no-such"),
    ],
)
def test_a_bare_name_gets_the_provider_that_alone_knows_it(acme: Site, name: str, whole: str) -> None:
    with compose(root=acme.world, config={}, environ={"HOME": str(acme.world)}) as app:
        assert app.models.full_name(name) == whole
