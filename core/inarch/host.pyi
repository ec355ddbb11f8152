"""Names lent to other parts of Inarch, with their modules. The runtime reads this list, too: one name a line."""

from inarch.config.approvals import Approvals as Approvals
from inarch.config.config import Config as Config
from inarch.config.directories import state_dir as state_dir
from inarch.config.directories import user_config_path as user_config_path
from inarch.config.grants import TABLES as TABLES
from inarch.config.grants import Rule as Rule
from inarch.config.load import load_config as load_config
from inarch.config.trust import Trust as Trust
from inarch.contract.event_parts import PluginEvent as PluginEvent
from inarch.contract.event_parts import is_plugins as is_plugins
from inarch.contract.guard import blame as blame
from inarch.contract.guard import guarded as guarded
from inarch.contract.loaders import LoadJob as LoadJob
from inarch.contract.loaders import Offered as Offered
from inarch.journal.changes import Changes as Changes
from inarch.journal.changes import changes_now as changes_now
from inarch.journal.changes import kept_changes as kept_changes
from inarch.plugins.discovery import discover as discover
from inarch.plugins.isolated_plugins import Trial as Trial
from inarch.plugins.registration import load_alone as load_alone
from inarch.program.composer import Options as Options
from inarch.program.turn import run_prompt as run_prompt
from inarch.sessions.contents import contents_of as contents_of
from inarch.turns.services import price_words as price_words

_HOMES: dict[str, str]
__all__: list[str]
