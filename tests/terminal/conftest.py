"""The program and its surroundings as tests of the command line have them."""

from ..running.program import cli, environ, passes, probed, project, slowly, terminal

__all__ = ["cli", "environ", "passes", "probed", "project", "slowly", "terminal"]
