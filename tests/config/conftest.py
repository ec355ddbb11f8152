"""A home and a project of their own for every test of the configuration."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from attrs import define

from inarch.config.config import Config
from inarch.config.load import check_config, load_config
from inarch.contract.errors import ConfigError


@define
class Place:
    """Where a run takes place: the user's file, a project and an environment."""

    home: Path
    root: Path
    environ: dict[str, str]

    @property
    def file(self) -> Path:
        return self.home / "config" / "inarch" / "config.toml"

    @property
    def project_file(self) -> Path:
        return self.root / ".inarch" / "config.toml"

    @property
    def state(self) -> Path:
        return self.home / "state" / "inarch"

    def user(self, text: str) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(text)

    def project(self, text: str) -> None:
        self.project_file.parent.mkdir(exist_ok=True)
        self.project_file.write_text(text)

    def load(self, *, environ: Mapping[str, str] | None = None, **given: Any) -> Config:
        return load_config(str(self.root), environ=self.environ | dict(environ or {}), **given)

    def problems(self, *, environ: Mapping[str, str] | None = None, **given: Any) -> tuple[ConfigError, ...]:
        return check_config(str(self.root), environ=self.environ | dict(environ or {}), **given)[1]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    root = Path(os.path.realpath(tmp_path)) / "project"
    root.mkdir()
    home = tmp_path / "home"
    home.mkdir()
    kinds = ("config", "state", "cache")
    environ = {"HOME": str(home)} | {f"XDG_{kind.upper()}_HOME": str(home / kind) for kind in kinds}
    return Place(home, root, environ)
