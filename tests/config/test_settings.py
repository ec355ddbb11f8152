"""Settings of plugins: tables and variables into the plugin's own attrs class."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any, Literal

import pytest
from attrs import Factory, field, frozen, validators
from hypothesis import given
from hypothesis import strategies as st

from inarch.config.load import load_config
from inarch.contract.errors import ConfigError

from .conftest import Place


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


@frozen
class Inner:
    size: int
    note: str = ""


@frozen
class Settings:
    """Settings of a plugin of every kind."""

    url: str
    level: int = 1
    ratio: float = 0.5
    quiet: bool = False
    mode: Literal["fast", "slow", 3] = "fast"
    words: list[str] = Factory(list)
    numbers: tuple[int, ...] = ()
    pair: tuple[str, int] | None = None
    table: dict[str, int] = Factory(dict)
    anything: Mapping[str, Any] = Factory(dict)
    folder: Path | None = None
    price: Decimal | None = None
    day: date | None = None
    colour: Colour = Colour.RED
    inner: Inner | None = None
    either: int | list[str] = 0
    several: Sequence[str] = ()
    _private: str = "p"
    small: int = field(default=1, validator=validators.lt(10))
    derived: int = field(init=False, default=7)


def test_every_kind_of_field(place: Place) -> None:
    place.user(
        "[plugins.my-plugin]\n"
        'url = "u"\nlevel = 2\nratio = 1\nquiet = true\nmode = 3\nwords = ["a"]\nnumbers = [1, 2]\npair = ["a", 1]\n'
        'table = { a = 1 }\nfolder = "~/x"\nprice = 0.1\nday = 2030-01-01\ncolour = "blue"\neither = ["x"]\n'
        'several = ["s"]\nprivate = "q"\nanything.deep.er = [1]\n[plugins.my-plugin.inner]\nsize = 4\n'
    )
    settings = place.load().settings("my-plugin", Settings)
    assert settings == Settings(
        "u", 2, 1.0, True, 3, ["a"], (1, 2), ("a", 1), {"a": 1}, {"deep": {"er": [1]}}, Path("~/x").expanduser(),
        Decimal("0.1"), date(2030, 1, 1), Colour.BLUE, Inner(4), ["x"], ("s",), "q",
    )  # fmt: skip
    assert isinstance(settings.ratio, float)


def test_variables_win_over_tables(place: Place) -> None:
    place.user('[plugins.my-plugin]\nurl = "u"\nlevel = 2\n')
    config = place.load(
        environ={
            "INARCH_PLUGIN_MY_PLUGIN__LEVEL": "5",
            "INARCH_PLUGIN_MY_PLUGIN__QUIET": "on",
            "INARCH_PLUGIN_MY_PLUGIN__WORDS": "a, b",
            "INARCH_PLUGIN_MY_PLUGIN__NUMBERS": "1,2",
            "INARCH_PLUGIN_MY_PLUGIN__TABLE": '{"a": 1}',
            "INARCH_PLUGIN_MY_PLUGIN__INNER": '{"size": 3}',
            "INARCH_PLUGIN_MY_PLUGIN__MODE": "3",
            "INARCH_PLUGIN_MY_PLUGIN__PRICE": "0.20",
            "INARCH_PLUGIN_MY_PLUGIN__PRIVATE": "q",
            "INARCH_PLUGIN_OTHER__LEVEL": "no matter",
        }
    )
    wanted = Settings(
        "u", 5, quiet=True, words=["a", "b"], numbers=(1, 2), table={"a": 1}, inner=Inner(3), mode=3,
        price=Decimal("0.20"), private="q",
    )  # fmt: skip
    assert config.settings("my-plugin", Settings) == wanted


@pytest.mark.parametrize(
    ("text", "line", "key", "said"),
    [
        ("lvel = 1", 3, "plugins.p.lvel", "did you mean 'level'?"),
        ("level = '1'", 3, "plugins.p.level", "must be a whole number, not a string"),
        ("level = true", 3, "plugins.p.level", "must be a whole number, not true or false"),
        ("words = 'a'", 3, "plugins.p.words", "must be a list"),
        ("words = ['a',\n2]", 4, "plugins.p.words[1]", "must be a string"),
        ("pair = ['a']", 3, "plugins.p.pair", "2 elements"),
        ("table = { a = 'x' }", 3, "plugins.p.table.a", "whole number"),
        ("mode = 'fas'", 3, "plugins.p.mode", "did you mean 'fast'?"),
        ("mode = true", 3, "plugins.p.mode", "'fast', 'slow', 3"),
        ("colour = 'green'", 3, "plugins.p.colour", "'red', 'blue'"),
        ("either = 1.5", 3, "plugins.p.either", "a whole number or a list"),
        ("day = 2030-01-01T00:00:00", 3, "plugins.p.day", "a date"),
        ("folder = 1", 3, "plugins.p.folder", "a path"),
        ("derived = 1", 3, "plugins.p.derived", "unknown key"),
        ("[plugins.p.inner]\nnote = 'x'", 3, "plugins.p.inner", "'size' is missing"),
        ("[plugins.p.inner]\nsize = 1\nsiz = 1", 5, "plugins.p.inner.siz", "did you mean 'size'?"),
        ("small = 12", 3, "plugins.p.small", "must be < 10"),
    ],
)
def test_a_wrong_setting_has_its_place(place: Place, text: str, line: int, key: str, said: str) -> None:
    place.user(f"[plugins.p]\nurl = 'u'\n{text}\n")
    config = place.load()
    with pytest.raises(ConfigError) as caught:
        config.settings("p", Settings)
    assert (caught.value.source, caught.value.line, caught.value.key) == (str(place.file), line, key)
    assert said in str(caught.value)
    assert config.settings_problems("p", Settings)[0].args == caught.value.args


def test_a_missing_setting_says_where_to_add_it(place: Place) -> None:
    with pytest.raises(ConfigError, match=r"config\.toml: plugins\.p: 'url' is missing \(add url = "):
        place.load().settings("p", Settings)


def test_a_wrong_variable_of_a_plugin(place: Place) -> None:
    config = place.load(environ={"INARCH_PLUGIN_P__URL": "u", "INARCH_PLUGIN_P__LEVL": "1"})
    with pytest.raises(ConfigError, match=r"INARCH_PLUGIN_P__LEVL: unknown setting.*INARCH_PLUGIN_P__LEVEL"):
        config.settings("p", Settings)
    config = place.load(environ={"INARCH_PLUGIN_P__URL": "u", "INARCH_PLUGIN_P__LEVEL": "x"})
    with pytest.raises(ConfigError, match=r"INARCH_PLUGIN_P__LEVEL: plugins\.p\.level: must be a whole number"):
        config.settings("p", Settings)


@frozen
class Plain:
    text: str = ""
    number: int = 0
    words: tuple[str, ...] = ()
    table: Mapping[str, int] = Factory(dict)


WORD = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)


@given(st.builds(Plain, WORD, st.integers(), st.lists(WORD).map(tuple), st.dictionaries(WORD, st.integers())))
def test_settings_survive_a_mapping_and_variables(settings: Plain) -> None:
    data = {"text": settings.text, "number": settings.number, "words": list(settings.words), "table": settings.table}
    config = load_config(".", config={"plugins": {"p": data}}, environ={"HOME": "/nowhere"})
    assert config.settings("p", Plain) == settings
    environ = {
        f"INARCH_PLUGIN_P__{key.upper()}": value if isinstance(value, str) else json.dumps(value)
        for key, value in data.items()
    }
    config = load_config(".", config={}, environ={"HOME": "/nowhere"} | environ)
    assert config.settings("p", Plain) == settings
