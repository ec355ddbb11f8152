"""Applications that have the same plugin in this process and in a process of its own."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import inarch
from inarch_lib.confinement import landlock

sys.path.insert(0, str(Path(__file__).parent))  # helpers beside the tests

from isolated_apps import make

HERE = Path(__file__).parent

Compose = Callable[..., inarch.App]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in Path(str(item.path)).parents:
            if sys.platform != "linux" or not landlock.abi():
                item.add_marker(pytest.mark.skip(reason="needs Landlock"))
            item.add_marker(pytest.mark.once)


@pytest.fixture
def compose(tmp_path: Path) -> Iterator[Compose]:
    """Compose applications that are closed in the end."""
    made: list[inarch.App] = []

    def one(mode: str = "process", **more: Any) -> inarch.App:
        made.append(make(tmp_path, mode, **more))
        return made[-1]

    yield one
    for app in made:
        asyncio.run(app.aclose())


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[inarch.App, inarch.App]]:
    """One application with the plugin in this process, and one with it in its own."""
    home = tmp_path_factory.mktemp("both")
    os.makedirs(home, exist_ok=True)
    apps = make(home, "in-process"), make(home, "process")
    assert [app.composition.refused for app in apps] == [(), ()]
    yield apps
    for app in apps:
        asyncio.run(app.aclose())
