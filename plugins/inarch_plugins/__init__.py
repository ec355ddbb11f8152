"""Built-in parts, commands, defaults and reserved names of the `inarch` distribution, as plain data.

Every start reads this module, so it imports nothing. The kernel finds it by the entry point `inarch.shipped`. Built-in
plugins are entry points of the group `inarch.plugins`, like those of other distributions. Add a new plugin there, and
here too if the default profile should load it.
"""

from __future__ import annotations

BUILT_IN = {
    "auth": "inarch_plugins.auth",
    "commands": "inarch_plugins.commands",
    "compaction": "inarch_plugins.compaction",
    "export": "inarch_plugins.export",
    "isolation": "inarch_plugins.isolation",
    "native": "inarch_plugins.native",
    "project": "inarch_plugins.project",
    "replay": "inarch_plugins.replay",
    "terminal": "inarch_plugins.terminal",
    "undo": "inarch_plugins.undo",
}
"""Parts in every composition unless they are excluded, and their modules."""

DEFAULTS = {
    "plugins": (
        "sandbox-fs sqlite-store jsonl-logger brief-tracer git memory dispatch plan goal hooks processes setup"
        " importing skills agents review offline"
    ),
    "store": "sqlite-store",
    "strategy": "native",
    "workspace": "sandbox-fs",
}
"""Values of the keys of the default profile, in order."""

NAMES = {
    "exporters": {"export": "atif html jsonl markdown"},
    "front_ends": {"terminal": "json jsonl text"},
    "loaders": {"isolation": "process"},
    "session_extensions": {"undo": "undo"},
    "slash_commands": {
        "terminal": "approve clear compact context copy effort export fork help model plugins profile quit resume"
        " sessions stats theme tools vim",
        "undo": "diff redo retry rewind undo",
    },
    "stores": {"kernel": "memory"},
    "strategies": {"native": "native"},
}
"""Names that no other plugin may claim, by kind of hook and by the part that brings them."""

READY = {"openai-compatible": ("settings.base_url", 30), "offline": ("nothing", 900)}
"""Requirements and ranks of the providers that need no key. `inarch_sdk.model_table` lists the others."""

COMMANDS = {
    "ask": "inarch.program.ask:ask",
    "exec": "inarch.program.ask:ask",
    "chat": "inarch.program.ask:chat",
    "sessions": "inarch_plugins.commands.sessions.sessions_command:sessions",
    "sessions.show": "inarch_plugins.commands.sessions.show:show_session",
    "sessions.fork": "inarch_plugins.commands.sessions.fork:fork_a_session",
    "sessions.export": "inarch_plugins.commands.sessions.export:export_session",
    "sessions.diff": "inarch_plugins.replay.replay_command:diff_sessions",
    "sessions.delete": "inarch_plugins.commands.sessions.delete:delete_sessions",
    "sessions.rename": "inarch_plugins.commands.sessions.rename:rename_session",
    "sessions.search": "inarch_plugins.commands.sessions.search:search_sessions",
    "sessions.restore": "inarch_plugins.commands.sessions.restore:restore_sessions",
    "replay": "inarch_plugins.replay.replay_command:replay",
    "undo": "inarch_plugins.undo.commands:undo",
    "redo": "inarch_plugins.undo.commands:redo",
    "try": "inarch_plugins.sandbox_fs.try_command:try_command",
    "changes": "inarch_plugins.sandbox_fs.changes.commands:changes",
    "apply": "inarch_plugins.sandbox_fs.changes.commands:apply",
    "discard": "inarch_plugins.sandbox_fs.changes.commands:discard",
    "in-copy": "inarch_plugins.sandbox_fs.changes.commands:in_copy",
    "blame": "inarch_plugins.undo.blame:blame",
    "tools": "inarch_plugins.commands.tools_command:tools",
    "models": "inarch_plugins.commands.models.models_command:models",
    "plugins": "inarch_plugins.commands.plugins.plugins_command:plugins",
    "policy": "inarch_plugins.commands.policy.policy_command:policy",
    "config": "inarch_plugins.commands.config.config_command:config",
    "config.model": "inarch_plugins.commands.config.model:set_model",
    "auth": "inarch_plugins.auth.auth_command:auth",
    "help": "inarch_plugins.commands.help:help_command",
    "stats": "inarch_plugins.commands.stats:stats",
    "doctor": "inarch_plugins.commands.doctor.command:doctor",
    "context": "inarch_brief.tracer.answers.context_command:context",
    "trace": "inarch_brief.tracer.answers.trace_command:trace",
    "dispatch": "inarch_plugins.dispatch.dispatch_command:dispatch",
    "setup": "inarch_plugins.setup.command:setup",
    "bundles": "inarch_plugins.importing.bundles.bundles_command:bundles",
    "import": "inarch_plugins.importing.import_command:import_command",
    "review": "inarch_plugins.review.review_command:review",
    "tour": "inarch_plugins.tour.tour_command:tour",
}
"""Commands and their functions. `GROUP.NAME` is a command in a group."""

OFFERED = {name: f"inarch_{name}" for name in ("acp", "batch", "live", "mcp", "web")}
"""Commands of distributions that may be installed next to Inarch, so that their names are not taken for prompts."""

KEPT_KEYS = {"auth": "inarch_plugins.auth.keyring_environment:with_kept_keys"}
"""Functions that add stored keys to the environment, by part. They take the environment and the file of names."""

_LIBRARIES = "confinement egress output schemas secrets staging toml"
_PLUGINS = (
    "agents anthropic auth commands compaction dispatch export gemini git hooks isolation jsonl_logger litellm memory"
    " native openai plan project replay sandbox_fs setup skills sqlite_store summary terminal undo"
)
FORMER = {
    **{f"inarch_{name}": f"inarch_lib.{name}" for name in _LIBRARIES.split()},
    **{f"inarch_{name}": f"inarch_plugins.{name}" for name in _PLUGINS.split()},
    **{f"inarch_{name}": f"inarch_brief.{name}" for name in ("languages", "offline", "search")},
    "inarch_brief_tracer": "inarch_brief.tracer",
}
"""Top-level packages of 0.1 and their present names. They work until 0.3."""
