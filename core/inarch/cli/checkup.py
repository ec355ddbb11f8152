"""What `inarch doctor` looks at: each check gives findings, and none of them sends anything anywhere."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from attrs import frozen

from inarch import __version__
from inarch.cli.front_ends.words import confinement_words
from inarch.contract.errors import ConfigError, InarchError

if TYPE_CHECKING:
    from inarch.cli.composing import Options
    from inarch.config import Config
    from inarch.sessions.app import App

State = Literal["fine", "note", "wrong"]


@frozen
class Finding:
    """One thing that was looked at; what is `wrong` makes `doctor` exit with 1."""

    topic: str
    state: State
    text: str
    remedy: str = ""


def check_up(options: Options) -> Iterator[Finding]:
    """Yield what was found, the most basic things first; a check that can't go on says why."""
    where = f"Python {platform.python_version()} at {sys.executable}, {platform.system()} {platform.release()}"
    yield Finding("inarch", "fine", f"{__version__}, {where}")
    config = yield from _configuration(options)
    if config is None:
        return
    yield from _trust(config)
    yield from _folders(config)
    app = yield from _plugins(config, options)
    if app is None:
        return
    try:
        yield from _model(app)
        yield from _commands(app)
        yield from _store(app)
    finally:
        app.close()
    yield from _programs()


def _configuration(options: Options) -> Generator[Finding, None, Config | None]:
    from inarch.config import check_config

    config, problems = check_config(options.root, profile=options.profile, flags=options.flags)
    for problem in problems:
        yield Finding("configuration", "wrong", problem.message, problem.remedy)
    if config is None:
        return None
    present = config.config_path.exists()
    text = str(config.config_path) if present else f"{config.config_path} does not exist, the built-in values hold"
    remedy = "" if present else "inarch config init writes a first one"
    if not problems:
        yield Finding("configuration", "fine", f"{text}; profile {config.profile.name}", remedy)
    for note in config.notes:
        yield Finding("configuration", "note", note)
    return config


def _trust(config: Config) -> Iterator[Finding]:
    from inarch.config import trust_of

    standing = trust_of(config.root, config.state_dir)
    if standing.state == "nothing":
        yield Finding("trust", "fine", f"{config.root} has nothing that needs trust")
    elif standing.state == "trusted":
        yield Finding("trust", "fine", f"{config.root} is trusted with {', '.join(standing.files)}")
    else:
        files = ", ".join(standing.changed or standing.files)
        said = "changed since it was trusted" if standing.state == "changed" else "is not trusted"
        remedy = "look at them, then inarch config trust"
        yield Finding("trust", "note", f"{config.root} {said}: {files} count for nothing", remedy)


def _folders(config: Config) -> Iterator[Finding]:
    for topic, folder in (("state", config.state_dir), ("cache", config.cache_dir)):
        nearest = next(place for place in (folder, *folder.parents) if place.exists())
        if os.access(nearest, os.W_OK | os.X_OK):
            yield Finding(topic, "fine", str(folder))
        else:
            yield Finding(topic, "wrong", f"{folder} can't be written",
                          f"make {nearest} writable, or set XDG_{topic.upper()}_HOME")  # fmt: skip


def _plugins(config: Config, options: Options) -> Generator[Finding, None, App | None]:
    from inarch.plugins import compose_plugins
    from inarch.sessions.app import App

    try:
        composition = compose_plugins(config, without=options.without, files=options.files, recorded=False)
    except ConfigError as error:
        yield Finding("plugins", "wrong", error.message, error.remedy)
        return None
    names = ", ".join(f"{plugin.name} {plugin.version}".strip() for plugin in composition.loaded)
    safe = "safe mode, only " if config.safe_mode else ""
    yield Finding("plugins", "note" if safe else "fine", f"{safe}{names or 'none'}")
    for refused in composition.refused:
        yield Finding("plugins", "wrong", f"{refused.name} was refused: {refused.reason}", refused.remedy)
    app = App(config, composition, None, True, dict(config.environ))
    for missing in () if config.safe_mode else app.missing():
        yield Finding("plugins", "wrong", missing.message, missing.remedy)
    return app


def _model(app: App) -> Iterator[Finding]:
    from inarch.plugins.loading import AUTO_KEYS

    keys = [name for name, _ in AUTO_KEYS if app.environ.get(name)]
    text = f"{app.config.profile.model}; of the keys {', '.join(name for name, _ in AUTO_KEYS)} "
    yield Finding("model", "fine", text + (f"{', '.join(keys)} is set" if keys else "none is set"))
    yield Finding("model", "fine", f"providers: {', '.join(sorted(app.composition.models)) or 'none'}")


def _commands(app: App) -> Iterator[Finding]:
    if app.config.safe_mode:
        yield Finding("commands", "note", "not looked at: safe mode loads no workspace", "unset INARCH_SAFE_MODE")
        return
    try:
        found = app.workspace.confinement()
    except InarchError as error:
        yield Finding("commands", "wrong", error.message, error.remedy)
        return
    yield Finding("commands", "fine" if found.level == 3 else "note", confinement_words(found))


def _store(app: App) -> Iterator[Finding]:
    try:
        sessions = app.store.sessions(app.config.root)
    except InarchError as error:
        yield Finding("store", "wrong", error.message, error.remedy)
        return
    yield Finding("store", "fine", f"{app.config.profile.store}, {len(sessions)} sessions of this directory")


def _programs() -> Iterator[Finding]:
    from shutil import which

    for name, use in (("git", "the git tools need it"), ("rg", "searches are faster with it")):
        place = which(name) or ""
        if not Path(place).is_absolute():  # `.` in PATH: nobody runs what a repository brings along
            place = str(Path(sys.executable).with_name(name))
        if os.access(place, os.X_OK):
            yield Finding("programs", "fine", f"{name} at {place}")
        else:
            yield Finding("programs", "note", f"{name} is not installed", use)
