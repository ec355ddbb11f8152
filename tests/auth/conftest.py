"""The program, with a keyring of the tests in the place of the system's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ..running.program import Run, cli, passes, probed, project
from ..running.program import environ as plain_environ

__all__ = ["cli", "passes", "plain_environ", "probed", "project"]


@pytest.fixture
def environ(plain_environ: dict[str, str], tmp_path: Path) -> dict[str, str]:
    return {
        **plain_environ,
        "PYTHONPATH": str(Path(__file__).parent),
        "PYTHON_KEYRING_BACKEND": "backends.InFile",
        "TEST_KEYRING": str(tmp_path / "keyring.json"),
    }


@pytest.fixture
def opened(tmp_path: Path) -> Callable[[], int]:
    """Return how often the keyring was looked into."""
    file = tmp_path / "keyring.json.opened"
    return lambda: len(file.read_text().splitlines()) if file.exists() else 0


@pytest.fixture
def keep(cli: Run) -> Callable[[str, str], None]:
    def keep(name: str, value: str) -> None:
        done = cli("auth", "set", name, stdin=value + "\n")
        assert done.returncode == 0, done.stderr

    return keep
