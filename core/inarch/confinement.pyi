"""What `inarch.confinement` has, for type checkers: `former_names.py` finds the library itself under this name."""

from inarch_lib.confinement import *  # noqa: F403 - an alias has what the library has
from inarch_lib.confinement import __all__ as __all__
