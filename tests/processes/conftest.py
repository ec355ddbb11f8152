"""The program and its surroundings as tests of the command line have them, with this Python as `python3`."""

from __future__ import annotations

import os
import sys

import pytest

from ..running.program import cli, passes, probed, project, terminal
from ..running.program import environ as plain_environ

__all__ = ["cli", "passes", "plain_environ", "probed", "project", "terminal"]


@pytest.fixture
def environ(plain_environ: dict[str, str]) -> dict[str, str]:
    """An environment without a version manager's stand-ins for `python3`, which want a home of their own."""
    return plain_environ | {"PATH": f"{os.path.dirname(sys.executable)}:{plain_environ['PATH']}"}
