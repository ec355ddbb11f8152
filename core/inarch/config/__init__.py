"""The configuration floor: layers, profiles, variables, trust, and where every value came from.

What most runs don't need is imported from its module, where it is needed.
"""

from inarch.config.config import Config
from inarch.config.files import GUIDE_FILES
from inarch.config.load import check_config, load_config
from inarch.config.places import cache_dir, state_dir, user_config_path
from inarch.config.sources import nearest
from inarch.config.tables import Profile

__all__ = [
    "GUIDE_FILES",
    "Config",
    "Profile",
    "cache_dir",
    "check_config",
    "load_config",
    "nearest",
    "state_dir",
    "user_config_path",
]
