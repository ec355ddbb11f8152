"""What a user can meet stands in the reference: keys, variables, errors, codes, commands, tools. Nothing else does."""

from __future__ import annotations

import importlib
import itertools
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import click
import pytest

import inarch
from inarch.config.grants import CommandGrant, Isolation, Rule
from inarch.config.profile import Profile
from inarch.contract import errors
from inarch.plugins.discovery import own_names
from inarch.program import failure
from inarch.program.main import SUMMARIES
from inarch_plugins import COMMANDS
from inarch_sdk.settings import keys_of

pytestmark = pytest.mark.once

PageOf = Callable[[str], str]
SectionOf = Callable[[str, str], str]
CellsOf = Callable[[str], list[str]]

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"]
SHIPPED: dict[str, str] = PROJECT["entry-points"]["inarch.plugins"]
TABLES = {
    "`[profiles.NAME]`": ("extends", *keys_of(Profile)),
    "`[[rules]]`": tuple(keys_of(Rule)),
    "`[commands.NAME]`": tuple(keys_of(CommandGrant)),
    "`[isolation.NAME]`": tuple(keys_of(Isolation)),
}
ERROR_TABLES = {
    "Codes of failed calls": get_args(errors.ErrorCode),
    "Kinds of provider errors": get_args(errors.ProviderErrorKind),
    "Kinds of store errors": get_args(errors.StoreErrorKind),
    "Classes": tuple(
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, errors.InarchError)
    ),
}


def settings_of(plugin: str) -> set[str]:
    hook = getattr(importlib.import_module(SHIPPED[plugin]), "inarch_settings", None)
    return set(keys_of(hook())) if hook is not None else set()


@pytest.mark.parametrize("table", TABLES)
def test_every_key_of_the_configuration_has_a_row(section: SectionOf, first_cells: CellsOf, table: str) -> None:
    assert set(first_cells(section("reference/configuration.md", table))) == set(TABLES[table])


@pytest.mark.parametrize("plugin", SHIPPED)
def test_every_setting_of_a_shipped_plugin_has_a_row(section: SectionOf, first_cells: CellsOf, plugin: str) -> None:
    text = section("reference/plugin-settings.md", f"`[plugins.{plugin}]`")
    assert set(first_cells(text)) == settings_of(plugin)


@pytest.mark.parametrize("table", ERROR_TABLES)
def test_every_class_code_and_kind_of_error_has_a_row(section: SectionOf, first_cells: CellsOf, table: str) -> None:
    assert set(first_cells(section("reference/errors.md", table))) == set(ERROR_TABLES[table])


def test_every_field_of_an_error_is_named(section: SectionOf) -> None:
    raised = [
        errors.ConfigError("m", source="s", line=1, key="k"),
        errors.PluginError("m"),
        errors.ToolFailed("denied", "m"),
        errors.ProviderError("auth", "m"),
        errors.StoreError("full", "m"),
    ]
    for error in raised:
        (row,) = re.findall(rf"^\| `{type(error).__name__}` .*$", section("reference/errors.md", "Classes"), re.M)
        assert set(re.findall(r"`(\w+)`", row.rpartition(" | ")[2])) == set(vars(error)) - {"message", "remedy"}


def test_every_exit_code_has_a_row(section: SectionOf) -> None:
    codes = {value for key, value in vars(failure).items() if key.isupper() and isinstance(value, int)}
    table = section("reference/errors.md", "Exit codes")
    assert {int(code) for code in re.findall(r"^\| (\d+) \|", table, re.M)} == codes


def commands_in(words: str, command: click.Command) -> list[str]:
    inner = getattr(command, "commands", {})
    shown = [words for _ in "x" if not inner and not command.hidden]
    return [*shown, *(deeper for name, child in inner.items() for deeper in commands_in(f"{words} {name}", child))]


def every_command() -> list[str]:
    places = {name.replace(".", " "): place.split(":") for name, place in COMMANDS.items()}
    assert set(SUMMARIES) < set(places)
    loaded = {name: getattr(importlib.import_module(module), item) for name, (module, item) in places.items()}
    return [words for name, command in loaded.items() for words in commands_in(name, command)]


@pytest.mark.parametrize("command", every_command())
def test_every_command_is_explained_on_the_page_of_the_command_line(section: SectionOf, command: str) -> None:
    """`trace up\\|down` in a row stands for both."""
    told = {
        " ".join(words)
        for code in re.findall(r"`([^`]+)`", section("reference/cli.md", "Commands"))
        for words in itertools.product(*(word.split("\\|") for word in code.split()[: len(command.split())]))
    }
    assert command in told


@pytest.mark.parametrize("command", [name for kind, name in own_names() if kind == "slash_commands"])
def test_every_command_of_a_conversation_is_documented(page: PageOf, command: str) -> None:
    for name in ("how-to/conversation.md", "reference/hooks.md"):
        assert re.search(rf"`/{command}[ `]", page(name)), f"/{command} is not in {name}"


def test_tools_of_the_default_profile_are_documented_with_parameters(page: PageOf, tmp_path: Path) -> None:
    text = page("reference/tools.md")
    app = inarch.compose(root=tmp_path, config={}, flags={"model": "offline"}, journal=False)
    assert not app.composition.refused
    for name, bound in app.composition.tools.items():
        (said,) = set(re.findall(rf"`{name}\(([^`]*)\)`", text)) or {None}
        assert said is not None, f"{name} is not in reference/tools.md"
        known = re.findall(r"(\w+)(?:=[^,]*)?(?:, |$)", re.sub(r"\[.*?\]", "", said))
        assert known == list(bound.value.input_schema["properties"]), name
    app.close()
