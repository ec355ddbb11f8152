"""The list of plugins agrees with what the distributions of this repository bring."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from inarch.config.profile import SHIPPED_PLUGINS

pytestmark = pytest.mark.once
ROOT = Path(__file__).parents[2]
KINDS = {
    "tool", "tools", "model", "strategy", "store", "tracer", "workspace", "context source", "policy",
    "slash commands", "front end", "commands", "rewriter", "approver", "reviewer", "end guard", "compaction",
}  # fmt: skip


def listed() -> dict[str, dict[str, Any]]:
    rows = tomllib.loads((ROOT / "docs" / "plugins.toml").read_text("utf-8"))["plugins"]
    names = [row["name"] for row in rows]
    assert len(set(names)) == len(names)
    return {row["name"]: row for row in rows}


def projects() -> dict[str, dict[str, Any]]:
    files = [ROOT / "pyproject.toml", *sorted(ROOT.glob("contrib/*/pyproject.toml"))]
    return {str(file.parent.name): tomllib.loads(file.read_text("utf-8"))["project"] for file in files}


def test_every_plugin_of_this_repository_is_listed_with_its_distribution() -> None:
    brought = {
        name: project["name"]
        for project in projects().values()
        for name in project.get("entry-points", {}).get("inarch.plugins", {})
    }
    ours = {name: row["distribution"] for name, row in listed().items() if row["distribution"] in brought.values()}
    assert ours == brought


def test_the_default_ones_are_those_of_the_built_in_profile() -> None:
    assert [name for name, row in listed().items() if row.get("default")] == list(SHIPPED_PLUGINS)


@pytest.mark.parametrize("name", listed())
def test_a_row_says_all_there_is_to_say(name: str) -> None:
    row = listed()[name]
    assert set(row) <= {"name", "distribution", "default", "kinds", "summary", "link"}
    assert row["kinds"] and set(row["kinds"]) <= KINDS
    assert row["summary"].endswith(".") and "\n" not in row["summary"]
    link = row.get("link", "")
    place = (ROOT / "docs" / "reference" / link.partition("#")[0]).resolve()
    assert link.startswith("https://") or place.is_file(), link
