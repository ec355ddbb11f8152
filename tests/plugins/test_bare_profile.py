"""The profile `bare` of docs/how-to/profiles.md is the default list of 0.1, and has nothing of what came later."""

from __future__ import annotations

import tomllib
from pathlib import Path

import inarch
from inarch_testing.apps import environ_in

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "profiles.md"
LATER = {"agents", "goal", "hooks", "plan", "processes", "review", "setup", "importing", "skills", "summary"}


def bare() -> list[str]:
    lines = [line[2:] for line in PAGE.read_text("utf-8").splitlines() if line.startswith("> ")]
    at = lines.index("[profiles.bare]")
    found: list[str] = tomllib.loads("\n".join(lines[at : at + 2]))["profiles"]["bare"]["plugins"]
    return found


def test_it_is_the_default_list_without_what_came_later(tmp_path: Path) -> None:
    with inarch.compose(root=tmp_path, config={}, environ=environ_in(tmp_path / "home"), journal=False) as app:
        default = [name for name in app.config.profile.plugins if name not in LATER]
    assert bare() == default
