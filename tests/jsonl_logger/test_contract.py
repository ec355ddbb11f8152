"""The event log keeps the contract of tracers."""

from __future__ import annotations

from pathlib import Path

import pytest

from inarch import Tracer
from inarch.testing import TracerContract
from inarch_plugins.jsonl_logger.logger import JsonlLogger


class TestJsonlLogger(TracerContract):
    folder: Path

    @pytest.fixture(autouse=True)
    def place(self, tmp_path_factory: pytest.TempPathFactory) -> None:
        self.folder = tmp_path_factory.mktemp("logs")

    def make(self) -> Tracer:
        return JsonlLogger(str(self.folder))
