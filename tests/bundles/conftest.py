"""The program, with sources of bundles on this machine."""

from __future__ import annotations

from ..running.program import cli, environ, passes, probed, project

__all__ = ["cli", "environ", "passes", "probed", "project"]
