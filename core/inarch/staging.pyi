"""The public name of `inarch_lib.staging`: files that are written whole, and what a kill leaves of them."""

from inarch_lib.staging import *  # noqa: F403 - an alias has what the library has
from inarch_lib.staging import __all__ as __all__
