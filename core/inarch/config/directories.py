"""Folders of configuration, state and caches: the XDG variables first, then the platform's own folders."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from inarch.contract.errors import ConfigError

Kind = Literal["config", "state", "cache"]
_VARIABLES: dict[Kind, str] = {"config": "XDG_CONFIG_HOME", "state": "XDG_STATE_HOME", "cache": "XDG_CACHE_HOME"}
_UNDER_HOME: dict[Kind, str] = {"config": ".config", "state": ".local/state", "cache": ".cache"}


def _place(kind: Kind, environ: Mapping[str, str]) -> Path:
    named = environ.get(_VARIABLES[kind], "")
    if os.path.isabs(named):  # noqa: PTH117 - the XDG rule: a relative value is ignored
        return Path(named) / "inarch"
    if sys.platform.startswith("linux"):
        home = environ.get("HOME", "")
        return Path(home if os.path.isabs(home) else _account_home()) / _UNDER_HOME[kind] / "inarch"  # noqa: PTH117
    import platformdirs

    places = platformdirs.PlatformDirs("inarch", appauthor=False)
    found: dict[Kind, Path] = {
        "config": places.user_config_path,
        "state": places.user_state_path,
        "cache": places.user_cache_path,
    }
    return found[kind]


def _account_home() -> str:
    """Return the home folder of the user's account; an empty or relative `HOME` could lead anywhere.

    Raises:
        ConfigError: The user has no account, as in some containers.
    """
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        raise ConfigError("names no folder, and the user has no account", source="HOME", remedy="set HOME") from None


def named_path(text: str | Path) -> Path:
    """Return the absolute path for a user's text; `~` is the home folder, or stays if there is none."""
    return Path(os.path.expanduser(text)).absolute()  # noqa: PTH111 - pathlib raises for an unknown user


def user_config_path(environ: Mapping[str, str] | None = None) -> Path:
    """Return the path of the user's configuration file: `INARCH_CONFIG`, else `config.toml` in the usual folder."""
    environ = os.environ if environ is None else environ
    named = environ.get("INARCH_CONFIG")
    if named:
        return named_path(named)
    return config_dir(environ) / "config.toml"


def config_dir(environ: Mapping[str, str] | None = None) -> Path:
    """Return the folder of the user's files: the configuration, and notes that plugins store beside it."""
    return _place("config", os.environ if environ is None else environ)


def state_dir(environ: Mapping[str, str] | None = None) -> Path:
    """Return the folder of permanent data: sessions, trust, verdicts of probes."""
    return _place("state", os.environ if environ is None else environ)


def cache_dir(environ: Mapping[str, str] | None = None) -> Path:
    """Return the folder of data that can be rebuilt."""
    return _place("cache", os.environ if environ is None else environ)
