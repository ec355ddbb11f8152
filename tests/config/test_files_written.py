"""The starter file and the JSON Schema agree with what the loader reads."""

from __future__ import annotations

import json
import tomllib
from typing import Any, Literal

import jsonschema
import pytest
from attrs import frozen

from inarch.config.profile import PROFILE_KEYS
from inarch.contract.errors import UsageError
from inarch_plugins.commands.config.starter import schema, starter, write_starter

from .conftest import Place
from .test_problems import CASES


def uncommented() -> str:
    """The starter file with every line of TOML in force."""
    lines = []
    for line in starter().splitlines():
        bare = line.removeprefix("# ")
        lines.append(bare if bare.startswith("[") or (bare.partition(" ")[2].startswith("= ")) else line)
    return "\n".join(lines)


def test_the_starter_changes_nothing(place: Place) -> None:
    before = place.load().profile
    write_starter(place.file)
    assert place.load().profile == before
    assert place.file.stat().st_mode & 0o777 == 0o600
    assert place.file.parent.stat().st_mode & 0o777 == 0o700


def test_the_starter_names_every_key_and_all_of_it_is_valid(place: Place) -> None:
    place.user(uncommented())
    config = place.load()
    assert set(tomllib.loads(uncommented())["profiles"]["default"]) == set(PROFILE_KEYS)
    assert config.profiles["careful"].approve == "none"
    assert (set(config.commands), len(config.rules), set(config.isolation)) == ({"test"}, 1, {"some-plugin"})
    assert config.plugin_tables == {"sandbox-fs": {}}


def test_a_file_that_is_there_is_kept(place: Place) -> None:
    place.user("# mine")
    with pytest.raises(UsageError, match="exists already"):
        write_starter(place.file)
    assert place.file.read_text() == "# mine"
    write_starter(place.file, force=True)
    assert place.file.read_text() == starter()


def test_a_folder_that_can_not_be_made(place: Place) -> None:
    (place.home / "config").write_text("a file")
    with pytest.raises(UsageError, match="can't be written"):
        write_starter(place.file)


@frozen
class Settings:
    """Settings of the demo plugin.

    More words.
    """

    url: str
    mode: Literal["fast", "slow"] = "fast"
    words: tuple[str, ...] = ()
    table: dict[str, int] | None = None


def valid(data: Any) -> bool:
    document = schema({"demo": Settings})
    jsonschema.Draft202012Validator.check_schema(document)
    return bool(jsonschema.Draft202012Validator(document).is_valid(data))


def test_the_schema_accepts_what_the_loader_accepts(place: Place) -> None:
    data = tomllib.loads(uncommented())
    data["plugins"]["demo"] = {"url": "u", "words": ["a"], "table": {"a": 1}}
    data["profiles"]["default"] |= {"strategy": "native", "max_cost_usd": "0.10"}
    assert valid(data)
    place.load(config=data).settings("demo", Settings)


# What only the whole document, TOML itself or a value's kind in TOML can show.
BEYOND = ("extends itself", "a -> a", "'default'?", "not valid TOML", "did you mean 'work'", "at the end", "a date")


@pytest.mark.parametrize(("text", "line", "key", "said"), CASES)
def test_the_schema_refuses_what_the_loader_refuses(text: str, line: int, key: str, said: str) -> None:
    try:
        data = tomllib.loads(text)
        json.dumps(data, allow_nan=False)
    except (ValueError, TypeError, RecursionError):
        return
    assert valid(data) == any(words in said for words in BEYOND)


@pytest.mark.parametrize("settings", [{}, {"url": 1}, {"url": "u", "mode": "x"}, {"url": "u", "x": 1}])
def test_the_schema_knows_the_settings_of_plugins(settings: dict[str, Any]) -> None:
    assert not valid({"plugins": {"demo": settings}})
    assert valid({"plugins": {"another": settings}})


def test_the_schema_says_what_keys_mean() -> None:
    document = schema({"demo": Settings})
    profile = document["properties"]["profiles"]["additionalProperties"]["properties"]
    assert set(profile) == {"extends", *PROFILE_KEYS}
    assert all(key["description"] for key in profile.values())
    assert document["properties"]["plugins"]["properties"]["demo"]["description"] == "Settings of the demo plugin."
