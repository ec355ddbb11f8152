"""The program with a keyring of the tests, and a home in which other tools have left their files."""

from __future__ import annotations

from ..auth.conftest import environ, opened
from ..running.program import cli, passes, probed, project
from ..running.program import environ as plain_environ

__all__ = ["cli", "environ", "opened", "passes", "plain_environ", "probed", "project"]
