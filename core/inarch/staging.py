"""The library `inarch_staging` under its public name: files that are written whole, and what a kill leaves of them."""

from inarch_staging import *  # noqa: F403 - an alias has what the library has
from inarch_staging import __all__ as __all__
