"""The library `inarch_testing` under its public name: for the tests of plugins; `former_names.py` finds it."""

from inarch_testing import *  # noqa: F403 - an alias has what the library has
from inarch_testing import __all__ as __all__
