"""The library `inarch_testing` under its public name: for the tests of plugins.

`pytest_plugins = ["inarch.testing"]` in a test module brings its fixtures. (PYTEST_DONT_REWRITE: it only names others.)
"""

from __future__ import annotations

import inarch_testing
from inarch_testing import __all__ as __all__

TYPE_CHECKING = False

if TYPE_CHECKING:
    from inarch_testing import *  # noqa: F403 - an alias has what the library has


def __getattr__(name: str) -> object:
    return getattr(inarch_testing, name)


def __dir__() -> list[str]:
    return dir(inarch_testing)  # pytest looks for fixtures here
