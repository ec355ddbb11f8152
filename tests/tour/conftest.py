"""The program as tests of the command line have it."""

from ..running.program import cli, environ, passes, probed, project, terminal

__all__ = ["cli", "environ", "passes", "probed", "project", "terminal"]
