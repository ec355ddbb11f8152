"""What parts of Inarch itself need that stand beside the kernel, such as the built-in ones; nothing of it is promised.

Provisional: a name leaves when a door has taken its place. Plugins of others build on `inarch.__all__`. Each name is
loaded on first use, so that one of them costs nothing of the others; `docs/generate.py` makes `host.pyi` of the list.
"""

from __future__ import annotations

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
        "config.places": "config_dir state_dir user_config_path",
        "config.project_files": "read_project_file read_trusted",
        "config.sources": "dotted",
        "config.trust": "change_project_file grant revoke trust_of",
        "contract.event_parts": "PluginEvent",
        "contract.beside_events": "CommandRan",
        "contract.guarding": "OURS blame guarded",
        "contract.intervening": "patience_of",
        "contract.loading": "LoadJob Offered",
        "contract.plugin_events": "is_plugins",
        "contract.ports": "OPTIONAL",
        "journal.changes": "Changes NOTHING changes_now kept_changes",
        "journal.folding": "CUT_OFF fold",
        "journal.history": "History",
        "journal.redaction.redactor": "hide_in_message holds_known_secret",
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
        "program.turn": "run_prompt",
        "sessions.app": "compose_as",
        "sessions.contents": "Contents contents_of last_part",
        "sessions.forking": "fork_session",
        "sessions.mending": "all_logs logs_of",
        "sessions.names": "forget_name",
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
