"""The library `inarch_lib.confinement` under its public name: the layers that a process puts on itself."""

from inarch_lib.confinement import *  # noqa: F403 - an alias has what the library has
from inarch_lib.confinement import __all__ as __all__
