"""The user's first configuration file with every key commented out, and the JSON Schema, from the same classes."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inarch import ToolFailed, UsageError
from inarch.host import TABLES, Trust
from inarch_lib.staging import make_folder, write_whole
from inarch_sdk.settings_schema import table_schema

if TYPE_CHECKING:
    from inarch_plugins.commands.config.first_steps import Proposal

PROJECT_FILE = ".inarch/config.toml"
"""Path of a project's configuration, relative to its root."""
VERSION = 1
"""Of the file's keys; a test compares it with what is read."""
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema(plugin_settings: Mapping[str, type] | None = None) -> dict[str, Any]:
    """Return the schema of the file; `[plugins.NAME]` is checked for plugins with a given settings class."""
    plugins = {name: table_schema(cls) for name, cls in (plugin_settings or {}).items()}
    tables = {name: table_schema(cls) for name, cls in TABLES.items()}
    profile = tables["profiles"]
    profile["properties"] = {
        "extends": {"type": "string", "description": "The profile that gives what this one does not set."},
        **profile["properties"],
    }
    return {
        "$schema": DIALECT,
        "title": "Inarch configuration",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "version": {"const": VERSION, "description": "The version of this file's keys.", "default": VERSION},
            "profile": {"type": "string", "description": "The profile to use.", "default": "default"},
            "profiles": {"type": "object", "additionalProperties": profile},
            "plugins": {"type": "object", "properties": plugins, "additionalProperties": {"type": "object"}},
            "isolation": {"type": "object", "additionalProperties": tables["isolation"]},
            "rules": {"type": "array", "items": tables["rules"]},
            "commands": {"type": "object", "additionalProperties": tables["commands"]},
        },
    }


_EXAMPLES = {
    "decision_model": '"offline/extractive"', "fallback": '["offline/extractive"]', "max_seconds": "300",
    "max_cost_usd": "0.5", "max_tokens": "200000", "effort": '"low"', "output_schema": '{ type = "object" }',
}  # fmt: skip

_keys = schema()["properties"]
_HEAD = f"""\
# Configuration of Inarch. A trusted project's .inarch/config.toml, INARCH_* variables and flags win over it.
# `inarch config check` finds mistakes, `inarch config show --origin` says where each value comes from.

# The version of this file's keys.
version = {_keys["version"]["const"]}

# The profile to use.
# profile = "default"

[profiles.default]
"""

_TAIL = """\

# Another profile: what it does not set comes from the one it extends.
# [profiles.careful]
# extends = "default"
# approve = "none"
# max_iterations = 5

# Settings of a plugin; `inarch plugins show NAME` lists them.
# [plugins.sandbox-fs]

# Rules decide about calls before Inarch asks; the strictest matching rule applies.
# [[rules]]
# tool = "write_file"
# path = "migrations/**"
# decision = "deny"
# reason = "migrations are made by their own tool"

{commands}

# Where a plugin's code runs, and what it may do there.
# [isolation.some-plugin]
# mode = "process"
# network = false
"""


_EXAMPLE = """\
# A command that may run without a question, in every project.
# [commands.test]
# argv = ["python", "-m", "pytest", "-q", "*"]
# writes = [".pytest_cache/"]
# network = false
"""


def starter(found: Sequence[Proposal] = ()) -> str:
    """Return the text of the file, with a project's suggested commands in place of the example."""
    lines = []
    for name, key in _keys["profiles"]["additionalProperties"]["properties"].items():
        if name != "extends":
            lines += [f"# {key['description']}", f"# {name} = {_EXAMPLES.get(name) or json.dumps(key.get('default'))}"]
    commands = "# Commands that may run without a question, in every project: better in a project's own file.\n"
    commands += "".join(f"# {line}\n" for proposal in found for line in proposal.toml.splitlines())
    return _HEAD + "\n".join(lines) + "\n" + _TAIL.replace("{commands}\n", commands if found else _EXAMPLE)


def write_starter(path: Path, *, force: bool = False, found: Sequence[Proposal] = ()) -> None:
    """Write the file, readable only by the user."""
    try:
        if not force and (path.is_symlink() or path.exists()):
            raise UsageError(f"{path} exists already", "--force overwrites it")
        make_folder(path.parent)
        write_whole(path, starter(found).encode())
    except OSError as error:
        raise UsageError(f"{path} can't be written: {error.strerror}") from error


def write_project_config(root: str, found: Sequence[Proposal], state_dir: Path) -> bool:
    """Write a project's `.inarch/config.toml` with granted commands; return whether the project is trusted with it.

    The project is trusted if it was before, or if nothing else in it needs trust. Files that the user has not reviewed
    are not trusted as a side effect.
    """
    path = Path(root, PROJECT_FILE)

    def granted(before: bytes | None, is_trusted: bool) -> bytes:
        if os.path.lexists(path):
            raise UsageError(f"{path} exists already", "add the tables to it")
        tables = "\n".join(proposal.toml for proposal in found)
        return f"# Commands that may run without a question in this project.\n\n{tables}".encode()

    try:
        return Trust(root, state_dir).change(PROJECT_FILE, granted)
    except ToolFailed as error:
        raise UsageError(f"{root}/{error.message}") from error
