"""The library `inarch_confinement` under its public name: the layers that a process puts on itself."""

from inarch_confinement import *  # noqa: F403 - an alias has what the library has
from inarch_confinement import __all__ as __all__
