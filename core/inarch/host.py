"""What parts of Inarch itself need that stand beside the kernel, such as the built-in ones; nothing of it is promised.

Provisional: a name leaves when a door has taken its place. Plugins of others build on `inarch.__all__`. Each name is
loaded on first use, so that one of them costs nothing of the others.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from inarch.calls.explaining import Explanation as Explanation
    from inarch.calls.explaining import explain as explain
    from inarch.calls.rules import STRICTNESS as STRICTNESS
    from inarch.calls.rules import said as said
    from inarch.calls.secrets import placeholders as placeholders
    from inarch.config.approvals import approvals_of as approvals_of
    from inarch.config.approvals import revoke_approvals as revoke_approvals
    from inarch.config.config import Config as Config
    from inarch.config.environment import plugin_variable as plugin_variable
    from inarch.config.files import Unreadable as Unreadable
    from inarch.config.files import parse as parse
    from inarch.config.files import read_user_file as read_user_file
    from inarch.config.grants import TABLES as TABLES
    from inarch.config.grants import Rule as Rule
    from inarch.config.layers import VERSION as VERSION
    from inarch.config.load import check_config as check_config
    from inarch.config.load import load_config as load_config
    from inarch.config.places import state_dir as state_dir
    from inarch.config.places import user_config_path as user_config_path
    from inarch.config.project import read_trusted as read_trusted
    from inarch.config.project_files import read_project_file as read_project_file
    from inarch.config.sources import dotted as dotted
    from inarch.config.sources import nearest as nearest
    from inarch.config.trust import change_project_file as change_project_file
    from inarch.config.trust import grant as grant
    from inarch.config.trust import revoke as revoke
    from inarch.config.trust import trust_of as trust_of
    from inarch.contract.event_parts import PluginEvent as PluginEvent
    from inarch.contract.events import CommandRan as CommandRan
    from inarch.contract.guarding import OURS as OURS
    from inarch.contract.guarding import blame as blame
    from inarch.contract.guarding import guarded as guarded
    from inarch.contract.loading import LoadJob as LoadJob
    from inarch.contract.loading import Offered as Offered
    from inarch.contract.plugin_events import is_plugins as is_plugins
    from inarch.contract.ports import OPTIONAL as OPTIONAL
    from inarch.journal.changes import NOTHING as NOTHING
    from inarch.journal.changes import Changes as Changes
    from inarch.journal.changes import changes_now as changes_now
    from inarch.journal.changes import kept_changes as kept_changes
    from inarch.journal.folding import CUT_OFF as CUT_OFF
    from inarch.journal.folding import fold as fold
    from inarch.journal.history import History as History
    from inarch.journal.memory import MemoryStore as MemoryStore
    from inarch.journal.redaction.redactor import hide_in_message as hide_in_message
    from inarch.journal.snapshots import between as between
    from inarch.plugins.alone import load_alone as load_alone
    from inarch.plugins.checks import PORTS as PORTS
    from inarch.plugins.checks import fault_of as fault_of
    from inarch.plugins.checks import opened_fault as opened_fault
    from inarch.plugins.composition import Bound as Bound
    from inarch.plugins.composition import Composition as Composition
    from inarch.plugins.composition import compose_plugins as compose_plugins
    from inarch.plugins.discovery import Discovery as Discovery
    from inarch.plugins.discovery import FoundPlugin as FoundPlugin
    from inarch.plugins.discovery import discover as discover
    from inarch.plugins.loading import try_again as try_again
    from inarch.plugins.single_files import tried_file as tried_file
    from inarch.plugins.version_contract import version_contract as version_contract
    from inarch.program.composing import Options as Options
    from inarch.program.failure import exit_code as exit_code
    from inarch.program.groups import Group as Group
    from inarch.program.options import showing_options as showing_options
    from inarch.program.session_ids import listing as listing
    from inarch.program.turn import run_prompt as run_prompt
    from inarch.sessions.app import compose_as as compose_as
    from inarch.sessions.contents import Contents as Contents
    from inarch.sessions.contents import contents_of as contents_of
    from inarch.sessions.contents import last_part as last_part
    from inarch.sessions.contents import parts_of as parts_of
    from inarch.sessions.forking import fork_session as fork_session
    from inarch.sessions.mending import WAY_ON as WAY_ON
    from inarch.sessions.mending import delete_session as delete_session
    from inarch.sessions.mending import restore as restore
    from inarch.sessions.restoring import Restored as Restored
    from inarch.sessions.transcript import KeptTranscript as KeptTranscript
    from inarch.turns.budget.pacing import LEFT_ALONE as LEFT_ALONE
    from inarch.turns.checking import checked_decision as checked_decision
    from inarch.turns.context.counting import TokenCounter as TokenCounter
    from inarch.turns.run import RECORDED as RECORDED
    from inarch.turns.wording import STRUCTURE_TITLE as STRUCTURE_TITLE

_HOMES = {
    name: f"inarch.{module}"
    for module, names in {
        "calls.explaining": "Explanation explain",
        "calls.rules": "STRICTNESS said",
        "calls.secrets": "placeholders",
        "config.approvals": "approvals_of revoke_approvals",
        "config.config": "Config",
        "config.environment": "plugin_variable",
        "config.files": "Unreadable parse read_user_file",
        "config.grants": "Rule TABLES",
        "config.layers": "VERSION",
        "config.load": "check_config load_config",
        "config.places": "state_dir user_config_path",
        "config.project": "read_trusted",
        "config.project_files": "read_project_file",
        "config.sources": "dotted nearest",
        "config.trust": "change_project_file grant revoke trust_of",
        "contract.event_parts": "PluginEvent",
        "contract.events": "CommandRan",
        "contract.guarding": "OURS blame guarded",
        "contract.loading": "LoadJob Offered",
        "contract.plugin_events": "is_plugins",
        "contract.ports": "OPTIONAL",
        "journal.changes": "Changes NOTHING changes_now kept_changes",
        "journal.folding": "CUT_OFF fold",
        "journal.history": "History",
        "journal.memory": "MemoryStore",
        "journal.snapshots": "between",
        "journal.redaction.redactor": "hide_in_message",
        "plugins.alone": "load_alone",
        "plugins.checks": "PORTS fault_of opened_fault",
        "plugins.composition": "Bound Composition compose_plugins",
        "plugins.discovery": "Discovery FoundPlugin discover",
        "plugins.loading": "try_again",
        "plugins.single_files": "tried_file",
        "plugins.version_contract": "version_contract",
        "program.composing": "Options",
        "program.failure": "exit_code",
        "program.groups": "Group",
        "program.options": "showing_options",
        "program.session_ids": "listing",
        "program.turn": "run_prompt",
        "sessions.app": "compose_as",
        "sessions.contents": "Contents contents_of last_part parts_of",
        "sessions.forking": "fork_session",
        "sessions.mending": "WAY_ON delete_session restore",
        "sessions.restoring": "Restored",
        "sessions.transcript": "KeptTranscript",
        "turns.budget.pacing": "LEFT_ALONE",
        "turns.checking": "checked_decision",
        "turns.context.counting": "TokenCounter",
        "turns.run": "RECORDED",
        "turns.wording": "STRUCTURE_TITLE",
    }.items()
    for name in names.split()
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(home), name)
    globals()[name] = value
    return value
