"""`start_process`, which tells later how its program ended, keeps the contract of such tools."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

import pytest

from inarch.sessions.app import App
from inarch.testing import InboxContract

pytest_plugins = ["inarch.testing"]
pytestmark = pytest.mark.needs("confinement")


class TestStartProcess(InboxContract):
    tool: Any
    arguments = {"command": "python3 wait.py"}  # noqa: RUF012 - read only
    files = {"wait.py": "import time\ntime.sleep(1.3)\n"}  # noqa: RUF012 - longer than the call waits

    @pytest.fixture(autouse=True)
    def made(self, composition: Callable[..., App], monkeypatch: pytest.MonkeyPatch) -> None:
        # No version manager's stand-in for `python3`, which wants a home of its own.
        monkeypatch.setenv("PATH", f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}")
        self.tool = composition(["processes"]).composition.tools["start_process"].value

    def make(self) -> Any:
        return self.tool
