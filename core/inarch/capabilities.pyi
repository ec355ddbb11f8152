"""What an object may offer beyond its port, and `able`, which returns it as that; `former_names.py` finds it."""

from inarch.contract.capabilities import *  # noqa: F403 - an alias has what the module has
