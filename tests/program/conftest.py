"""The program as its own tests run it."""

from ..running.program import cli, environ, passes, probed, project, slowly, terminal

__all__ = ["cli", "environ", "passes", "probed", "project", "slowly", "terminal"]
