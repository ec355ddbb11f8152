"""Tests that are coroutines run in a loop of their own; programs that are started here hear signals."""

from __future__ import annotations

import asyncio
import signal
from inspect import iscoroutinefunction
from pathlib import Path

import pytest

signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    if not iscoroutinefunction(pyfuncitem.obj):
        return None
    wanted = pyfuncitem._fixtureinfo.argnames
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in wanted}))
    return True


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return the folder of a small project."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "footer.txt").write_text("Copyright 2024\nAll rights reserved\n")
    return folder
