"""The table `[plugins.terminal]` in the user's own file: read early, and changed by `/theme` and `/vim`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from inarch import ConfigError, UsageError
from inarch.host import user_config_path
from inarch_lib.staging import make_folder, write_whole
from inarch_lib.toml import loads

NAME = "terminal"


def own_settings() -> Mapping[str, Any]:
    """Return the table as written; empty if it cannot be read, which is reported when everything is composed."""
    try:
        found = loads(user_config_path().read_text("utf-8")).get("plugins", {}).get(NAME)
    except (OSError, ValueError, RecursionError, ConfigError, AttributeError):
        return {}
    return found if isinstance(found, dict) else {}


def keep_setting(path: Path, key: str, value: str) -> None:
    """Set a key of the table, and change nothing else in the file.

    Raises:
        UsageError: The file cannot be read, changed safely or written; the remedy is what to write by hand.
    """
    import tomlkit  # takes longer than the rest

    by_hand = f"write it by hand: [plugins.{NAME}] {key} = {json.dumps(value)}"
    try:
        text = path.read_text("utf-8") if path.exists() else ""
        wanted = loads(text)
        wanted.setdefault("plugins", {}).setdefault(NAME, {})[key] = value
        document: Any = tomlkit.parse(text)
        if NAME in document.get("plugins", {}):
            document["plugins"][NAME][key] = value
            text = tomlkit.dumps(document)
        else:
            text = f"{text.rstrip()}\n\n[plugins.{NAME}]\n{key} = {json.dumps(value)}\n".lstrip()
        if loads(text) != wanted:
            raise ValueError("the result would mean something else")
        real = path.resolve()  # a link into a folder of dotfiles remains a link
        make_folder(real.parent)
        write_whole(real, text.encode(), mode=real.stat().st_mode & 0o777 if real.exists() else 0o600)
    except (OSError, ValueError, AttributeError) as error:
        raise UsageError(f"{path} can't be changed: {error}", by_hand) from None
