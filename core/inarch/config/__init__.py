"""The configuration floor: layers, profiles, variables, trust, and where every value came from.

What only the commands of `inarch config` need is loaded on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from inarch.config.config import Config
from inarch.config.files import GUIDE_FILES
from inarch.config.load import check_config, load_config
from inarch.config.places import cache_dir, state_dir, user_config_path
from inarch.config.sources import nearest
from inarch.config.tables import Profile
from inarch.contract.lazy import loaded_later

if TYPE_CHECKING:
    from inarch.config.approvals import approvals_of, revoke_approvals
    from inarch.config.folders import project_folder, user_folder
    from inarch.config.grants import CommandGrant, Isolation, Rule
    from inarch.config.origins import Origin
    from inarch.config.project import read_trusted
    from inarch.config.trust import Standing, grant, revoke, trust_of

__all__ = [
    "GUIDE_FILES",
    "CommandGrant",
    "Config",
    "Isolation",
    "Origin",
    "Profile",
    "Rule",
    "Standing",
    "approvals_of",
    "cache_dir",
    "check_config",
    "grant",
    "load_config",
    "nearest",
    "project_folder",
    "read_trusted",
    "revoke",
    "revoke_approvals",
    "state_dir",
    "trust_of",
    "user_config_path",
    "user_folder",
]

_LATER = {
    "approvals_of": "approvals",
    "revoke_approvals": "approvals",
    "CommandGrant": "grants",
    "Isolation": "grants",
    "Rule": "grants",
    "Origin": "origins",
    "project_folder": "folders",
    "user_folder": "folders",
    "read_trusted": "project",
    "Standing": "trust",
    "grant": "trust",
    "revoke": "trust",
    "trust_of": "trust",
}

__getattr__ = loaded_later(__name__, _LATER)
