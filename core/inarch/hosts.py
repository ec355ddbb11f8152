"""Hosts as configurations name them, and public addresses: `inarch_confinement.hosts` under its public name."""

from inarch_confinement.hosts import *  # noqa: F403 - an alias has what the library has
from inarch_confinement.hosts import __all__ as __all__
