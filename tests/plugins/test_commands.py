from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click
import pytest

from inarch.contract.errors import PluginError, UsageError
from inarch.plugins.discovery import discover
from inarch.program.foreign_command import load_command

if TYPE_CHECKING:
    from conftest import Site

COMMAND = """
    import click, inarch

    @click.command()
    def greet():
        click.echo("hello")

    number = 3
"""


def add(site: Site, source: str = COMMAND, attribute: str = "greet") -> None:
    site.add("demo", source, commands={"greet": f"demo:{attribute}"})


def test_a_command_of_the_profiles_plugin_is_loaded(site: Site) -> None:
    add(site)
    command = load_command(discover().commands["greet"], site.config("demo"))
    assert isinstance(command, click.Command) and command.name == "greet"


def test_a_command_of_a_plugin_outside_the_profile_is_not_imported(site: Site) -> None:
    add(site)
    with pytest.raises(UsageError, match=r"belongs to plugin 'demo'.*add 'demo' to its `plugins`"):
        load_command(discover().commands["greet"], site.config())
    assert "demo" not in sys.modules


def test_another_distribution_with_the_same_package_name_is_not_the_owner(site: Site) -> None:
    add(site)
    info = site.folder / "stranger-1.dist-info"
    info.mkdir()
    (info / "entry_points.txt").write_text("[inarch.commands]\nstrange = demo:greet\n")
    found = discover().commands["strange"]
    assert found.plugin == ""
    with pytest.raises(UsageError, match="belongs to plugin 'stranger'"):
        load_command(found, site.config("demo"))


def test_safe_mode_loads_no_command(site: Site) -> None:
    add(site)
    with pytest.raises(UsageError, match="INARCH_SAFE_MODE"):
        load_command(discover().commands["greet"], site.config("demo", environ={"INARCH_SAFE_MODE": "1"}))


@pytest.mark.parametrize(
    ("source", "attribute", "words"),
    [
        (COMMAND, "absent", "AttributeError"),
        (COMMAND, "number", "is not a click command"),
        ("import os; os._exit(3)", "greet", "ended the process"),
        ("raise SystemExit", "greet", "SystemExit"),
    ],
)
def test_a_command_that_cannot_be_loaded_names_its_plugin(site: Site, source: str, attribute: str, words: str) -> None:
    add(site, source, attribute)
    with pytest.raises(PluginError, match=words) as caught:
        load_command(discover().commands["greet"], site.config("demo"))
    assert caught.value.plugin == "demo"


def test_a_command_in_a_submodule_that_breaks_is_caught_here(site: Site) -> None:
    package = site.folder / "pack"
    package.mkdir()
    (package / "__init__.py").write_text("import inarch\n")
    (package / "cli.py").write_text("raise SystemExit('no')\n")
    info = site.folder / "pack-1.dist-info"
    info.mkdir()
    (info / "entry_points.txt").write_text("[inarch.plugins]\npack = pack\n[inarch.commands]\ngo = pack.cli:go\n")
    with pytest.raises(PluginError, match="failed at load: SystemExit: no"):
        load_command(discover().commands["go"], site.config("pack"))
