"""Settings in words, in the schema and by variables, and classes that are odd."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any, Literal

import pytest
from attrs import Factory, field, frozen

from inarch.config.environment import from_text
from inarch.config.load import load_config
from inarch.contract.errors import ConfigError
from inarch_plugins.commands.config.config_text import as_data, as_rows
from inarch_plugins.commands.config.starter import schema
from inarch_plugins.commands.plugins.settings_text import Setting, settings_of
from inarch_sdk.settings import keys_of

from .conftest import Place


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


@frozen
class Inner:
    size: int
    note: str = ""


def words_of(text: str) -> tuple[str, ...]:
    if not text:
        raise ValueError("must not be empty")
    return tuple(text.split())


def never() -> str:
    raise RuntimeError("no")


@frozen
class Everything:
    """Settings of every kind.

    Args:
        url: Where it is;
            on two lines.
        level (int): How much.
        private: By its alias.
    """

    url: str
    level: int = 1
    ratio: float = 0.5
    quiet: bool = False
    mode: Literal["fast", "slow"] = "fast"
    """Below the field."""

    words: list[str] = Factory(list)
    pair: tuple[str, int] = ("a", 1)
    table: dict[str, int] = Factory(lambda: {"a b": 1})
    anything: Mapping[str, Any] = Factory(dict)
    folder: Path | None = None
    price: Decimal = Decimal("0.50")
    day: date = date(2030, 1, 2)
    colour: Colour = Colour.RED
    inner: Inner | None = None
    either: int | list[str] = 0
    names: frozenset[str] = frozenset({"b", "a"})
    split: tuple[str, ...] = field(default="a b", converter=words_of, metadata={"doc": "By its metadata."})
    number: int = field(default="3", converter=int)
    broken: str = Factory(never)
    _private: str = "p"
    derived: int = field(init=False, default=7)


TOLD = {one.key: one for one in settings_of("my-plugin.x", Everything)}


def test_key_type_default_meaning_and_variable() -> None:
    assert TOLD["url"] == Setting(
        "url", "string", "", True, "Where it is; on two lines.", "INARCH_PLUGIN_MY_PLUGIN_X__URL"
    )
    assert TOLD["level"][1:5] == ("whole number", "1", False, "How much.")
    assert (TOLD["private"].meaning, TOLD["private"].default) == ("By its alias.", '"p"')
    assert (TOLD["mode"].meaning, TOLD["split"].meaning) == ("Below the field.", "By its metadata.")
    assert "derived" not in TOLD


@pytest.mark.parametrize(
    ("key", "kind", "default"),
    [
        ("ratio", "number", "0.5"),
        ("quiet", "boolean", "false"),
        ("mode", '"fast" or "slow"', '"fast"'),
        ("words", "list of strings", "[]"),
        ("pair", "list of string, whole number", '["a", 1]'),
        ("table", "table of whole numbers", '{ "a b" = 1 }'),
        ("anything", "table", "{}"),
        ("folder", "path", ""),
        ("price", "amount", '"0.50"'),
        ("day", "date", '"2030-01-02"'),
        ("colour", '"red" or "blue"', '"red"'),
        ("inner", "table", ""),
        ("either", "whole number or list of strings", "0"),
        ("names", "list of strings", '["a", "b"]'),
        ("split", "string", '"a b"'),
        ("number", "anything", '"3"'),
        ("broken", "string", ""),
    ],
)
def test_types_and_defaults_as_they_are_written(key: str, kind: str, default: str) -> None:
    assert (TOLD[key].type, TOLD[key].default) == (kind, default)


@frozen
class Tree:
    branches: tuple[Tree, ...] = ()
    leaf: str = ""


def test_a_table_that_holds_its_like_is_read_and_has_a_schema_with_an_end(place: Place) -> None:
    place.user('[plugins.p]\nbranches = [{ leaf = "a" }, { branches = [{ leaf = "b" }] }]\n')
    assert place.load().settings("p", Tree) == Tree((Tree((), "a"), Tree((Tree((), "b"),))))
    table = schema({"p": Tree})["properties"]["plugins"]["properties"]["p"]["properties"]
    assert table["branches"]["items"] == {"type": "object"} and table["leaf"]["default"] == ""


@frozen
class Converted:
    words: tuple[str, ...] = field(default="", converter=lambda text: tuple(text.split()))
    named: tuple[str, ...] = field(default="x", converter=words_of)
    number: int = field(default=1, converter=int)


def test_a_converter_is_given_what_it_takes(place: Place) -> None:
    place.user('[plugins.p]\nwords = "a b"\nnamed = "c d"\nnumber = "5"\n')
    assert place.load().settings("p", Converted) == Converted("a b", "c d", "5")
    variables = {"INARCH_PLUGIN_P__NAMED": "e f", "INARCH_PLUGIN_P__NUMBER": "6"}
    assert place.load(environ=variables).settings("p", Converted) == Converted("a b", "e f", 6)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ('number = "x"', 2, "plugins.p.number: invalid literal"),
        ('words = "a"\nnamed = ""', 3, "plugins.p.named: must not be empty"),
        ("named = 1", 2, "plugins.p.named: must be a string"),
    ],
)
def test_what_a_converter_refuses_has_its_place(place: Place, text: str, line: int, said: str) -> None:
    place.user(f"[plugins.p]\n{text}\n")
    with pytest.raises(ConfigError) as caught:
        place.load().settings("p", Converted)
    assert f"{place.file}:{line}: {said}" in str(caught.value)


@frozen
class Raising:
    a: int = 0

    def __attrs_post_init__(self) -> None:
        raise RuntimeError("always")


@frozen
class Odd:
    a: complex = 1j
    b: Missing = None  # type: ignore[name-defined]  # noqa: F821


@pytest.mark.parametrize("cls", [Raising, Odd])
def test_a_class_that_fails_is_not_a_problem_of_the_configuration(place: Place, cls: type) -> None:
    place.user("[plugins.p]\na = 1\n")
    assert place.load().settings_problems("p", cls) == ()


@pytest.mark.parametrize("text", ["1", "x", "", "a,b", "[1]", '["a"]', '{"a": 1}', '{"size": 2}', "true", "0.5", "["])
@pytest.mark.parametrize("key", sorted(TOLD))
def test_a_variable_of_any_type_is_read_or_told_never_more(key: str, text: str) -> None:
    from_text(keys_of(Everything)[key].kind, text)
    environ = {"HOME": "/nowhere", TOLD[key].variable.replace("MY_PLUGIN_X", "P"): text}
    config = load_config("/", config={"plugins": {"p": {"url": "u", "broken": ""}}}, environ=environ)
    for problem in config.settings_problems("p", Everything):
        assert TOLD[key].variable.partition("__")[2] in str(problem)


def test_config_show_has_what_variables_give_with_its_origin(place: Place) -> None:
    place.user('[plugins.gemini]\nthinking = false\nsilence_s = 2\napi_key = "sesame"\n')
    environ = {"INARCH_PLUGIN_GEMINI__SILENCE_S": "3", "INARCH_PLUGIN_GIT__API_TOKEN": "sesame"}
    config = place.load(environ=environ)
    data = as_data(config, ["gemini", "git"])
    assert data["plugins"] == {
        "gemini": {"thinking": False, "silence_s": "3", "api_key": "(hidden)"}, "git": {"api_token": "(hidden)"},
    }  # fmt: skip
    rows = dict(as_rows(config, ["gemini", "git"]))
    assert rows['silence_s = "3"'] == "INARCH_PLUGIN_GEMINI__SILENCE_S"
    assert rows["thinking = false"] == f"{place.file}:2"
    assert "sesame" not in str(rows) + str(data)


def test_what_is_for_an_absent_plugin_is_a_hint_with_the_nearest_name(place: Place) -> None:
    place.user('[plugins.ofline]\na = 1\n[isolation."absent one"]\nmode = "process"\n')
    config = place.load(environ={"INARCH_PLUGIN_GIIT__X": "1", "INARCH_PLUGIN_ABSENT__X": "1"})
    table, isolation, near, far = config.hints(["git", "offline"])
    assert table == f"{place.file}:1: [plugins.ofline] is for no plugin that is installed; did you mean 'offline'?"
    assert isolation.startswith(f"{place.file}:3: [isolation.'absent one'] is for no plugin that is installed")
    assert near.endswith("did you mean 'GIT'?") and far.endswith("is for no plugin that is installed")
