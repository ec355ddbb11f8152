"""How times, tokens, money, calls and what was left out read in a line; a table of what was spent."""

from inarch_sdk.figures import *  # noqa: F403 - an alias has what the library has
from inarch_sdk.figures import __all__ as __all__
