"""The user's first configuration file: every key with its meaning and built-in value, all commented out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from inarch.config.tables import Profile
from inarch.config.values import fields_of
from inarch.config.writing import make_folder, write_private
from inarch.contract.errors import UsageError

_EXAMPLES: dict[str, Any] = {
    "decision_model": "offline/extractive",
    "fallback": ["offline/extractive"],
    "max_seconds": 300,
    "max_cost_usd": 0.5,
    "max_tokens": 200_000,
}

_HEAD = """\
# Configuration of Inarch. A trusted project's .inarch/config.toml, INARCH_* variables and flags win over it.
# `inarch config check` finds mistakes, `inarch config show --origin` says where each value comes from.

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

# What to do with a call before anybody is asked: the strictest rule that matches holds.
# [[rules]]
# tool = "write_file"
# path = "migrations/**"
# decision = "deny"
# reason = "migrations are made by their own tool"

# A command that may run without a question.
# [commands.test]
# argv = ["python", "-m", "pytest", "-q"]
# writes = [".pytest_cache/"]
# network = false

# Where a plugin's code runs.
# [isolation.some-plugin]
# mode = "process"
# network = false
"""


def _starter() -> str:
    lines = []
    for name, attribute in fields_of(Profile).items():
        value = _EXAMPLES.get(name) or attribute.default
        shown = value if isinstance(value, (str, int, float)) else list(value or ())
        lines += [f"# {attribute.metadata['doc']}", f"# {name} = {json.dumps(shown)}"]
    return _HEAD + "\n".join(lines) + "\n" + _TAIL


STARTER = _starter()
"""The text of the file."""


def write_starter(path: Path, *, force: bool = False) -> None:
    """Write the file, for the user alone.

    Raises:
        UsageError: It is there already and `force` is false, or it can't be written.
    """
    try:
        if not force and (path.is_symlink() or path.exists()):
            raise UsageError(f"{path} is there already", "--force writes over it")
        make_folder(path.parent)
        write_private(path, STARTER.encode())
    except OSError as error:
        raise UsageError(f"{path} can't be written: {error.strerror}") from error
