"""`...` in a profile's `plugins`: it stands for the list that would be replaced."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch.config.load import load_config
from inarch.config.profile import REST, SHIPPED_PLUGINS
from inarch.contract.errors import ConfigError
from inarch_plugins.commands.config.config_text import as_data

from .conftest import Place


def plugins(profiles: dict[str, Any], profile: str = "default", **environ: str) -> tuple[str, ...]:
    config = {"profiles": profiles, "profile": profile}
    return load_config("/", config=config, environ={"HOME": "/nowhere", **environ}).profile.plugins


def test_it_stands_for_the_built_in_list_at_its_place() -> None:
    assert plugins({"default": {"plugins": [REST, "a"]}}) == (*SHIPPED_PLUGINS, "a")
    assert plugins({"default": {"plugins": ["a", REST, "b"]}}) == ("a", *SHIPPED_PLUGINS, "b")
    assert plugins({"default": {"plugins": [REST]}}) == SHIPPED_PLUGINS


def test_it_stands_for_the_parents_list() -> None:
    profiles = {"base": {"plugins": ["x", "y"]}, "mid": {"extends": "base"}}
    assert plugins({**profiles, "top": {"extends": "mid", "plugins": ["a", REST]}}, "top") == ("a", "x", "y")
    family = {"default": {"plugins": [REST, "d"]}, "top": {"extends": "default", "plugins": [REST, "t"]}}
    assert plugins(family, "top") == (*SHIPPED_PLUGINS, "d", "t")
    assert plugins({"default": {"plugins": ["d"]}, "alone": {"plugins": [REST]}}, "alone") == SHIPPED_PLUGINS


def test_the_variable_knows_it(place: Place) -> None:
    assert plugins({}, INARCH_PLUGINS="...,word-count") == (*SHIPPED_PLUGINS, "word-count")
    assert plugins({"default": {"plugins": ["a"]}}, INARCH_PLUGINS="b, ...") == ("b", "a")


def test_a_trusted_project_adds_to_the_users_list_and_an_untrusted_one_does_not(place: Place) -> None:
    from inarch.config.trust import Trust

    place.user('[profiles.default]\nplugins = ["...", "mine"]\n')
    place.project('[profiles.default]\nplugins = ["...", "theirs"]\n')
    config = place.load()
    assert config.profile.plugins == (*SHIPPED_PLUGINS, "mine")
    assert any("profiles.default.plugins: ignored" in note for note in config.notes)
    Trust(str(place.root), place.state).grant(Trust(str(place.root), place.state).standing().files)
    config = place.load()
    assert config.profile.plugins == (*SHIPPED_PLUGINS, "mine", "theirs")
    assert str(config.origins["profiles.default.plugins"]) == f"{place.project_file}:2"


def test_the_list_is_shown_resolved_with_its_origin(place: Place) -> None:
    place.user('[profiles.default]\nmodel = "offline"\nplugins = [\n  "...",\n  "word-count",\n]\n')
    config = place.load()
    assert as_data(config)["profile"]["plugins"] == [*SHIPPED_PLUGINS, "word-count"]
    assert str(config.origins["profiles.default.plugins"]) == f"{place.file}:3"
    assert config.profiles["default"].plugins[-1] == "word-count"


@pytest.mark.parametrize("line", ['plugins = ["...", "a", "..."]', 'strategy = ["..."]', 'fallback = ["..."]'])
def test_it_stands_once_and_only_in_plugins(place: Place, line: str) -> None:
    place.user(f"[profiles.default]\n{line}\n")
    with pytest.raises(ConfigError) as caught:
        place.load()
    assert (caught.value.source, caught.value.line) == (str(place.file), 2)


NAMES = st.lists(st.sampled_from(["a", "b", "c", "offline", "git", REST]), unique=True)


@given(NAMES, NAMES, NAMES)
def test_no_name_comes_twice_and_the_own_order_stays(base: list[str], top: list[str], variable: list[str]) -> None:
    environ = {"INARCH_PLUGINS": json.dumps(variable)} if variable else {}
    found = plugins({"default": {"plugins": base}, "top": {"extends": "default", "plugins": top}}, "top", **environ)
    assert REST not in found and len(set(found)) == len(found)
    last = variable or top
    assert [name for name in found if name in last] == [name for name in last if name != REST]
    if REST not in last:
        assert list(found) == last
