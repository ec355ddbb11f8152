"""Approval modes: which calls run without a question."""

from inarch_sdk.modes import *  # noqa: F403 - an alias has what the library has
from inarch_sdk.modes import __all__ as __all__
