"""Hosts as configurations name them, and public addresses: `inarch_lib.confinement.hosts` under its public name."""

from inarch_lib.confinement.hosts import *  # noqa: F403 - an alias has what the library has
from inarch_lib.confinement.hosts import __all__ as __all__
