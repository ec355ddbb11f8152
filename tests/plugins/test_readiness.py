"""Metadata says what a provider needs to be chosen by `model = "auto"`; nothing of it is imported to know."""

from __future__ import annotations

import pytest
from tests.plugins.conftest import Site

from inarch import compose
from inarch.plugins.discovery import discover, own_ready
from inarch.plugins.readiness import read_ready
from inarch.turns.models import choose_model

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


@pytest.fixture
def acme(site: Site) -> Site:
    """A distribution with a provider that says that it is ready with a key, and that somebody else's is, too."""
    site.add("acme", PROVIDER)
    entries = site.folder / "acme-1.0.dist-info" / "entry_points.txt"
    more = "[inarch.ready]\nacme = ACME_KEY:rank_5\ngemini = ACME_KEY:rank_1\noffline = nonsense\n"
    more += "acme/fast/small = OTHER_KEY:rank_6\nlitellm/openai/gpt-5 = OTHER_KEY:rank_1\nacme/free = nothing:rank_1\n"
    entries.write_text(entries.read_text() + more)
    return site


def test_the_shipped_ones_in_their_order() -> None:
    assert [(one.plugin, one.needs) for one in own_ready() if not one.model] == [
        ("gemini", "GEMINI_API_KEY"),
        ("openrouter", "OPENROUTER_API_KEY"),
        ("openai-compatible", "settings.base_url"),
        ("offline", "nothing"),
    ]


@pytest.mark.parametrize("target", ["", "KEY", "KEY:", "KEY:rank", "KEY:rank_x", "key:rank_1", "settings:rank_1"])
def test_what_is_not_understood_makes_nothing_ready(target: str) -> None:
    assert read_ready("acme", target) is None


def test_a_plugin_of_the_profile_is_chosen_by_its_key_and_rank(acme: Site) -> None:
    keys = {"ACME_KEY": "k", "GEMINI_API_KEY": "k"}
    composition = acme.compose("acme", model="auto", environ=keys)
    assert [plugin.name for plugin in composition.loaded] == ["acme", "gemini", "offline"]
    assert choose_model("auto", composition.models, keys).full_name == "acme/acme"
    assert choose_model("auto", composition.models, {}).full_name == "offline/extractive"


def test_one_that_the_profile_does_not_name_is_not_loaded(acme: Site) -> None:
    composition = acme.compose(model="auto", environ={"ACME_KEY": "k"})
    assert [plugin.name for plugin in composition.loaded] == ["offline"]


def test_an_application_says_what_auto_chooses_from_and_what_of_it_is_given(acme: Site) -> None:
    profile = {"model": "auto", "plugins": ["acme"]}
    given = {"profiles": {"default": profile}, "plugins": {"openai-compatible": {"base_url": "http://127.0.0.1:9/v1"}}}
    environ = {"HOME": str(acme.world), "ACME_KEY": "k"}
    with compose(root=acme.world, config=given, environ=environ) as app:
        assert {one.needs: is_given for one, is_given in app.ready.items()} == {
            "ACME_KEY": True,
            "GEMINI_API_KEY": False,
            "OPENROUTER_API_KEY": False,
            "settings.base_url": True,
            "nothing": True,
        }
        assert app.choice().full_name == app.choice("acme").full_name == "acme/acme"


def test_a_model_that_is_offered_is_told_and_not_chosen_by_auto(acme: Site) -> None:
    environ = {"HOME": str(acme.world), "OTHER_KEY": "k", "OPENAI_API_KEY": "k"}
    profile = {"model": "auto", "plugins": ["acme", "litellm"]}
    with compose(root=acme.world, config={"profiles": {"default": profile}}, environ=environ) as app:
        assert app.offers == {"OTHER_KEY": "acme/fast/small", "OPENAI_API_KEY": "litellm/openai/gpt-5"}
        assert app.choice().full_name == "offline/extractive"


@pytest.mark.parametrize(
    ("name", "whole"),
    [
        ("auto", "auto"),
        ("acme", "acme"),
        ("acme/x", "acme/x"),
        ("gpt-5", "litellm/openai/gpt-5"),
        ("no-such", "no-such"),
    ],
)
def test_a_bare_name_gets_the_provider_that_alone_knows_it(acme: Site, name: str, whole: str) -> None:
    with compose(root=acme.world, config={}, environ={"HOME": str(acme.world)}) as app:
        assert app.model_name(name) == whole


def test_a_bare_name_in_the_profile_composes_its_provider(site: Site) -> None:
    composition = site.compose(model="gpt-5", fallback=["gemini-2.5-pro"])
    assert [plugin.name for plugin in composition.loaded] == ["litellm", "gemini"] and not composition.refused
    assert choose_model("gpt-5", composition.models, {}).full_name == "litellm/openai/gpt-5"


def test_nobody_speaks_for_anothers_plugin(acme: Site) -> None:
    assert [one for one in discover().ready if one.plugin == "gemini"] == [own_ready()[0]]
