"""Parts of Inarch itself come through the same doors as plugins: on in every composition, each can be left out."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.plugins.conftest import Site

import inarch
from inarch.plugins.discovery import discover, own_names
from inarch.testing import says, scripted_app
from inarch_sdk.port_checks import PORTS

BUILTINS = {
    "auth": "inarch_plugins.auth",
    "commands": "inarch_plugins.commands",
    "compaction": "inarch_plugins.compaction",
    "export": "inarch_plugins.export",
    "isolation": "inarch_plugins.isolation",
    "native": "inarch_plugins.native",
    "project": "inarch_plugins.project",
    "replay": "inarch_plugins.replay",
    "terminal": "inarch_plugins.terminal",
    "undo": "inarch_plugins.undo",
}
COMMAND = """
import inarch

@inarch.hookimpl
def inarch_slash_commands(context):
    return [inarch.SlashCommand("approve", "Approve it.", lambda words: words)]
"""


def test_a_profile_without_plugins_has_them_all(site: Site) -> None:
    composition = site.compose()
    assert composition.loaded == ()
    assert [*composition.builtins] == [*BUILTINS]
    assert [bound.plugin for bound in composition.compactions] == ["compaction"]
    sources = [(bound.plugin, bound.value.name) for bound in composition.context_sources]
    of_the_project = [("project", name) for name in ("undo", "commands", "mentions", "structure")]
    assert sources == [*of_the_project, ("terminal", "pasted")]


def test_each_can_be_left_out_and_nothing_of_it_is_imported(tmp_path: Path) -> None:
    """Each in a fork of one process that has composed nothing before."""
    code = f"""
import os, sys, inarch
left = []
for name, module in {[*BUILTINS.items()]!r}:
    if (child := os.fork()) == 0:
        with inarch.compose(root={str(tmp_path)!r}, without=[name], journal=False) as app:
            built = app.composition.builtins
        imported = any((one + ".").startswith(module + ".") for one in sys.modules)
        os._exit(imported or name in built or len(built) != {len(BUILTINS) - 1})
    left += [] if os.waitpid(child, 0)[1] == 0 else [name]
print(left)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert (done.stdout.strip(), done.returncode) == ("[]", 0), done.stderr


def test_all_are_left_out_at_once(site: Site) -> None:
    composition = site.compose("sandbox-fs", builtins=False)
    assert composition.builtins == {}
    assert {bound.plugin for bound in composition.tools.values()} == {"sandbox-fs"}


@pytest.mark.parametrize(
    ("options", "seen"), [({}, True), ({"without": ["project"]}, False), ({"builtins": False}, False)]
)
def test_a_turn_needs_none_of_them(options: dict[str, Any], seen: bool, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("the needle\n")
    app, model = scripted_app([says("done")], tmp_path, **options)
    with app:
        turn = asyncio.run(app.session().run("what is in @notes.txt"))
    assert (turn.status, turn.content) == ("done", "done")
    asked = str(model.requests[0].messages)
    assert ("the needle" in asked, "# Project structure" in asked) == (seen, seen)


def test_what_the_parts_bring_is_named_in_the_metadata(site: Site) -> None:
    composition = site.compose()
    brought = {
        (kind, name): bound.plugin
        for kind, port in PORTS.items()
        if port.claims
        for name, bound in getattr(composition, kind).items()
    }
    assert {claim: part for claim, part in own_names().items() if part in BUILTINS} == brought
    assert {claim for claim, part in own_names().items() if part not in BUILTINS} == {("stores", "memory")}


@pytest.mark.parametrize("without", [(), ("terminal",)])
def test_nobody_claims_what_a_part_brings_though_it_is_left_out(site: Site, without: tuple[str, ...]) -> None:
    """Else a plugin that is called when `/approve` is typed could have everything approved."""
    site.add("sly", COMMAND)
    (refused,) = site.compose("sly", without=without).refused
    assert refused.reason == "claims the slash command name 'approve', which is taken by the kernel"
    assert refused.remedy == "leave one of them out, for instance with -p no:sly"


def test_a_name_of_a_built_in_part_is_taken(site: Site) -> None:
    (refused,) = site.compose(site.add("project", module="other")).refused
    assert (refused.name, refused.reason) == ("project", "'project' is the name of a built-in part")


def test_nobody_else_adds_a_built_in_part(site: Site) -> None:
    info = site.folder / "sly-1.0.dist-info"
    info.mkdir()
    (info / "entry_points.txt").write_text("[inarch.shipped]\ntables = tables_of_sly\n")
    (site.folder / "tables_of_sly.py").write_text("raise SystemExit('imported')\n")
    (info / "METADATA").write_text("Name: sly\nVersion: 1.0\n")
    assert [*discover().builtins] == [*BUILTINS]
    assert "sly" not in site.compose().builtins


def test_a_strategy_that_was_left_out_is_missed_only_where_it_was_asked_for(tmp_path: Path) -> None:
    with inarch.compose(root=tmp_path, without=["native"], journal=False) as app:
        assert app.parts.composed.strategies == []
    config = {"profiles": {"default": {"strategy": ["native"]}}}
    with (
        inarch.compose(root=tmp_path, config=config, without=["native"], journal=False) as app,
        pytest.raises(inarch.ConfigError, match="no plugin provides the strategy 'native'") as raised,
    ):
        _ = app.parts.composed.strategies
    assert raised.value.remedy == "take -p no:native away"
