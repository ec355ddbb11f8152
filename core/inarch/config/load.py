"""Configuration of a run from its layers: user's file < trusted project < variables < flags."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inarch.config import directories, environment
from inarch.config.config import Chosen, Config
from inarch.config.files import Unreadable, needs_trust, read_user_file
from inarch.config.layers import Layer, read_file, read_layer
from inarch.config.profile import (
    DEFAULT,
    PROFILE_KEYS,
    Profile,
    check_parents,
    complete,
    laid_over,
    make_profile,
    resolve,
    unknown_profile,
)
from inarch.config.values import BUILT_IN, Given, Source, plain, read_given
from inarch.contract.errors import ConfigError, StoreError
from inarch_sdk.modes import BYPASS
from inarch_sdk.suggestions import nearest

if TYPE_CHECKING:
    from inarch.config.grants import Isolation
    from inarch.config.project import Project

ConfigSource = str | Path | Mapping[str, Any] | None
_FLAGS = {"max_cost_usd": "--max-cost", "plugins": "plugins="}


def load_config(
    root: str,
    *,
    profile: str | None = None,
    config: ConfigSource = None,
    flags: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Config:
    """Return the configuration of a run.

    Args:
        root: The project's folder.
        profile: The profile to use, over every other choice.
        config: A file to read instead of the user's, or a mapping shaped like it.
        flags: Profile keys given on the command line; None values are not given.
        environ: The variables; None takes the process's own.

    Raises:
        ConfigError: The first fault.
    """
    loaded, problems = check_config(root, profile=profile, config=config, flags=flags, environ=environ)
    if loaded is None or problems:
        raise problems[0]
    return loaded


def check_config(
    root: str,
    *,
    profile: str | None = None,
    config: ConfigSource = None,
    flags: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
) -> tuple[Config | None, tuple[ConfigError, ...]]:
    """Return the readable part of the configuration, and all errors in it."""
    environ = os.environ if environ is None else environ
    try:
        folder = os.path.realpath(root)
    except OSError as error:  # the current directory was deleted
        return None, (Source("--root").error((), f"{root} can't be opened: {error.strerror}"),)
    loading = _Loading(folder, environ, _user_path(config, environ))
    return loading.load(profile, config, flags or {}), tuple(loading.problems)


def _user_path(config: ConfigSource, environ: Mapping[str, str]) -> Path:
    if isinstance(config, (str, Path)):
        return directories.named_path(config)
    return directories.user_config_path(environ)


def _laid_on(project: Project) -> Layer:
    """Return the layer over the user's file; an untrusted project's limits are applied at the end instead."""
    return project.layer if project.trusted else Layer(project.layer.profile, rules=project.layer.rules)


def _isolation(layer: Layer) -> dict[str, Isolation]:
    if not layer.isolation:
        return {}
    from inarch.config.grants import Isolation

    return {name: Isolation(**plain(table)) for name, table in layer.isolation.items()}


class _Loading:
    def __init__(self, root: str, environ: Mapping[str, str], user_path: Path) -> None:
        self.root = root
        self.environ = environ
        self.user_path = user_path
        self.problems: list[ConfigError] = []

    def load(self, profile: str | None, config: ConfigSource, flags: Mapping[str, Any]) -> Config | None:
        self._check_root()
        self._check_state()
        own = self._own(config)
        project = self._project(own)
        layer = own if project is None else own.under(_laid_on(project))
        check_parents(layer.profiles, self.problems)
        choice = self._choice(profile, layer)
        if choice.value not in {DEFAULT, *layer.profiles}:
            self.problems.append(unknown_profile(choice, layer.profiles))
            return None
        values = resolve(layer.profiles, choice.value)
        notes: tuple[str, ...] = ()
        if project is not None:
            notes = project.notes
            values, more = self._tightened(values, choice, own, project)
            notes += more
        given = environment.profile_values(self.environ, self.problems)
        if (mode := given.get("approve")) is not None and mode.value == BYPASS:
            self.problems.append(mode.error("can't be bypass", "use --approve bypass, or your own configuration"))
        for upper in (given, self._flags(flags)):
            values = complete(laid_over(values, upper))
        return self._config(layer, own, choice, values, project, notes)

    def _tightened(
        self, values: dict[str, Given], choice: Given, own: Layer, project: Project
    ) -> tuple[dict[str, Given], tuple[str, ...]]:
        from inarch.config.project import limit_mode, tighten

        chosen = choice if choice is project.layer.profile else None
        if project.trusted:
            return limit_mode(values, choice, own, is_users=chosen is None)
        return tighten(values, choice.value, chosen, own, project.layer.profiles)

    def _check_root(self) -> None:
        try:
            if stat.S_ISDIR(os.stat(self.root).st_mode):  # noqa: PTH116 - once a run, and pathlib adds nothing
                return
            message = f"{self.root} is not a directory"
        except FileNotFoundError:
            message = f"there is no directory {self.root}"
        except OSError as error:
            message = f"{self.root} can't be opened: {error.strerror}"
        self.problems.append(Source("--root").error((), message, "name an existing directory"))

    def _check_state(self) -> None:
        """Refuse a state folder in which other users may write, because it stores approvals and trust."""
        folder = directories.state_dir(self.environ)
        try:
            found = folder.stat()
        except OSError:  # not created yet; if it cannot be, the store says why
            return
        if os.name == "posix" and found.st_uid != os.geteuid():
            message, way = f"belongs to another user (uid {found.st_uid})", "make it your own with chown"
        elif os.name == "posix" and found.st_mode & stat.S_IWOTH:
            message, way = "can be written by every user of this machine", f"chmod 700 {folder}"
        else:
            return
        remedy = f"{way}, or name another place with XDG_STATE_HOME"
        self.problems.append(ConfigError(message, source=str(folder), remedy=remedy))

    def _own(self, config: ConfigSource) -> Layer:
        if isinstance(config, Mapping):
            return read_layer(Source("config"), config, self.problems)
        try:
            data = read_user_file(self.user_path)
        except Unreadable as error:
            self.problems.append(Source(str(self.user_path)).error((), str(error)))
            return Layer()
        if data is None:
            named = "config" if config is not None else "INARCH_CONFIG" if self.environ.get("INARCH_CONFIG") else ""
            if named:
                self.problems.append(Source(named).error((), f"there is no file {self.user_path}"))
        return read_file(data, str(self.user_path), self.problems)

    def _project(self, own: Layer) -> Project | None:
        state_dir = directories.state_dir(self.environ)
        if not needs_trust(self.root, state_dir):
            return None
        from inarch.config.project import read_project

        try:
            return read_project(self.root, own, state_dir, self.user_path, self.problems)
        except StoreError as error:  # it is unknown whether the project is trusted
            self.problems.append(ConfigError(error.message, remedy=error.remedy))
            return None

    def _choice(self, profile: str | None, layer: Layer) -> Given:
        if profile:
            return Given(profile, Source("--profile"))
        if self.environ.get("INARCH_PROFILE"):
            return Given(self.environ["INARCH_PROFILE"], Source("INARCH_PROFILE"))
        return layer.profile or Given(DEFAULT, Source("built-in"))

    def _flags(self, flags: Mapping[str, Any]) -> dict[str, Given]:
        values: dict[str, Given] = {}
        for key, value in flags.items():
            given = Given(value, Source(_FLAGS.get(key) or f"--{key.replace('_', '-')}"))
            if value is not None and key not in PROFILE_KEYS:
                self.problems.append(given.error("is not a profile key", nearest(key, PROFILE_KEYS)))
            elif value is not None:
                values[key] = given
        return read_given(Profile, values, Given(None, BUILT_IN), self.problems)

    def _config(
        self,
        layer: Layer,
        own: Layer,
        choice: Given,
        values: Mapping[str, Given],
        project: Project | None,
        notes: tuple[str, ...],
    ) -> Config:
        names = {DEFAULT, *layer.profiles}
        commands, waiting = _commands(layer, project is not None and project.trusted)
        return Config(
            root=self.root,
            profile=make_profile(choice.value, values),
            profiles={name: make_profile(name, resolve(layer.profiles, name)) for name in sorted(names)},
            plugin_tables={name: plain(table) for name, table in layer.plugins.items()},
            rules=tuple(given.value for given in layer.rules),
            commands=commands,
            isolation=_isolation(layer),
            trusted=project is not None and project.trusted,
            notes=notes + waiting,
            config_path=self.user_path,
            state_dir=directories.state_dir(self.environ),
            cache_dir=directories.cache_dir(self.environ),
            safe_mode=environment.safe_mode(self.environ, self.problems),
            environ=self.environ,
            trusted_files=project.files if project is not None else {},
            may_allow=tuple(own.may_allow.value) if own.may_allow is not None else (),
            given=Chosen(layer, values, choice),
        )


def _commands(layer: Layer, is_trusted: bool) -> tuple[Any, tuple[str, ...]]:
    """Return the granted commands, and notes about those whose relative program needs a trusted project."""
    given = plain(layer.commands)
    waiting = {} if is_trusted else {name: one for name, one in given.items() if _is_relative(one.argv[0])}
    notes = (f"[commands.{name}] waits: {one.argv[0]} runs in a trusted project only" for name, one in waiting.items())
    return {name: one for name, one in given.items() if name not in waiting}, tuple(notes)


def _is_relative(program: str) -> bool:
    return "/" in program and not program.startswith("/")
