"""Tests that are coroutines run in a loop of their own."""

from __future__ import annotations

import asyncio
import signal
from inspect import iscoroutinefunction

import pytest

# Programs that are started here hear these, however the tests themselves were started: in the background, under nohup.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

HANGS_S = 200.0
"""Seconds after which a test hangs: it fails, and is tried again, before its whole worker is ended."""


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    if not iscoroutinefunction(pyfuncitem.obj):
        return None
    wanted = pyfuncitem._fixtureinfo.argnames
    test = pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in wanted})
    asyncio.run(asyncio.wait_for(test, HANGS_S))
    return True
