"""Fixtures of `pytest_plugins = ["inarch.testing"]`; the only module of this package that imports pytest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from inarch import App, compose
from inarch.contract.workspaces import Workspace
from inarch_testing.apps import environ_in, scripted_app
from inarch_testing.http_server import HttpServer
from inarch_testing.scripted import ScriptedModel, Step


@pytest.fixture(name="composition")
def composition_fixture(tmp_path: Path) -> Iterator[Callable[..., App]]:
    """Compose an application with your plugins: `composition(plugins=["./my_tool.py", "my-tool"])`.

    A plugin is the path of a Python file or the name of an installed one. The workspace is `tmp_path / "workspace"`,
    with a separate home beside it. `refused` names are an error. Applications are closed at the end.
    """
    opened: list[App] = []

    def make(
        plugins: Sequence[str | Path] = (),
        config: Mapping[str, Any] | None = None,
        refused: bool = False,
        **options: Any,
    ) -> App:
        files = [str(item) for item in plugins if str(item).endswith(".py")]
        names = [str(item) for item in plugins if not str(item).endswith(".py")]
        options = {"journal": False, "environ": environ_in(tmp_path / "home"), "root": _folder(tmp_path), **options}
        app = compose(config=with_plugins(config or {}, names), files=files, **options)
        opened.append(app)
        if not refused:
            told = [f"{item.name}: {item.reason} ({item.remedy})" for item in app.composition.refused]
            assert not told, "plugins were refused: " + "; ".join(told)
        return app

    yield make
    _close(opened)


@pytest.fixture(name="app")
def app_fixture(tmp_path: Path) -> Iterator[Callable[..., tuple[App, ScriptedModel]]]:
    """Compose an application around a scripted model: `app, model = app([says("hello")], **options)`.

    Its workspace is `tmp_path / "workspace"` unless `root` is given; options are those of `inarch.compose`.
    """
    opened: list[App] = []

    def make(script: Iterable[Step] | ScriptedModel, **options: Any) -> tuple[App, ScriptedModel]:
        options = {"environ": environ_in(tmp_path / "home"), **options}
        made, model = scripted_app(script, options.pop("root", None) or _folder(tmp_path), **options)
        opened.append(made)
        return made, model

    yield make
    _close(opened)


@pytest.fixture(name="workspace")
def workspace_fixture(tmp_path: Path) -> Iterator[Workspace]:
    """A real workspace, open over the folder `tmp_path / "workspace"`."""
    with compose(
        root=_folder(tmp_path), config=only("sandbox-fs"), environ=environ_in(tmp_path / "home"), journal=False
    ) as app:
        yield app.workspace


@pytest.fixture(name="http_server")
def http_server_fixture() -> Iterator[HttpServer]:
    """A server on loopback without replies: set `http_server.replies` or `http_server.routes`."""
    with HttpServer() as server:
        yield server


def only(*plugins: str) -> dict[str, Any]:
    """Return a configuration whose default profile has only these plugins."""
    return {"profiles": {"default": {"plugins": list(plugins)}}}


def with_plugins(config: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return a configuration whose default profile has the workspace and these plugins, unless it sets others."""
    profiles = {**config.get("profiles", {})}
    profiles["default"] = {"plugins": ["sandbox-fs", *names], **profiles.get("default", {})}
    return {**config, "profiles": profiles}


def _folder(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir(exist_ok=True)
    return folder


def _close(opened: Sequence[App]) -> None:
    for app in opened:
        app.close()
