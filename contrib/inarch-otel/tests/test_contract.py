"""The tracer keeps the contract of tracers, with and without a collector."""

from __future__ import annotations

from pathlib import Path

import pytest
from inarch_otel.tracer import OtelTracer

from inarch import Tracer
from inarch.testing import TracerContract


class TestOtelTracer(TracerContract):
    folder: Path

    @pytest.fixture(autouse=True)
    def place(self, tmp_path_factory: pytest.TempPathFactory) -> None:
        self.folder = tmp_path_factory.mktemp("state")

    def make(self) -> Tracer:
        return OtelTracer("", "", True, str(self.folder))
