"""Translation of a program's rights into the plan by which its child confines itself."""

from __future__ import annotations

import os
import secrets
import stat
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen

from inarch import Piped, Rights, ToolFailed
from inarch_lib.confinement import Features, layers_of
from inarch_plugins.sandbox_fs.failures import failure
from inarch_plugins.sandbox_fs.paths import normal
from inarch_plugins.sandbox_fs.processes.cleanup import remove
from inarch_plugins.sandbox_fs.processes.confinement_level import level_for
from inarch_plugins.sandbox_fs.processes.confinement_trial import Reached
from inarch_plugins.sandbox_fs.processes.programs import Program
from inarch_plugins.sandbox_fs.processes.protected_names import Protection, live_sockets
from inarch_plugins.sandbox_fs.safe_open import LIST, PATH_ONLY, Open, held
from inarch_plugins.sandbox_fs.settings import Settings

if TYPE_CHECKING:
    from inarch_lib.egress import Egress
    from inarch_plugins.sandbox_fs.processes.background import Running
    from inarch_plugins.sandbox_fs.processes.networks import Network
    from inarch_plugins.sandbox_fs.processes.trial_folder import TrialFolder


_MEMORY = "/dev/shm"


@frozen
class Private:
    """Private folder of programs that start together, with one folder in it for each program.

    A program cannot reach another's. The folder is made before they start and removed after they end.
    """

    folder: str

    @classmethod
    def new(cls, small: bool) -> Private:
        """Choose an unguessable folder name; a small folder is in memory, where removal is much faster."""
        where = _MEMORY if small and os.access(_MEMORY, os.W_OK) else tempfile.gettempdir()
        return cls(os.path.join(os.path.realpath(where), f"inarch-{secrets.token_hex(12)}"))

    def of(self, number: int) -> Private:
        """Return the private folder of one of the programs, which is its home folder."""
        return Private(os.path.join(self.folder, str(number)))

    @property
    def temporary(self) -> str:
        """Return the folder for a program's temporary files."""
        return os.path.join(self.folder, "tmp")

    def remove(self) -> None:
        """Remove what a killed supervisor could not."""
        where, name = os.path.split(self.folder)
        with suppress(OSError), held(os.open(where, LIST | os.O_CLOEXEC)) as beside:
            remove(beside, name)


def environment(program: Program, private: Private, folder: str, added: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of a program."""
    variables = {
        "PATH": os.pathsep.join(program.search_path),
        "HOME": private.folder,
        "TMPDIR": private.temporary,
        "PWD": folder,
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "TERM": "dumb",
        "SHELL": "/bin/sh",
        "PYTHONUNBUFFERED": "1",  # so that output appears as it comes
        "GIT_CONFIG_NOSYSTEM": "1",  # git fails if it cannot read /etc/gitconfig
        **dict(program.env),
    }
    zone = os.environ.get("TZ")
    if zone:
        variables["TZ"] = zone
    for name, value in added.items():
        if not name or "=" in name or "\0" in name + value:
            raise ToolFailed("validation", f"not a valid environment variable: {name!r}")
        variables[name] = value
    return variables


_READS_MEMORY, _READS_FILE = 4 << 30, 1 << 30
_WRITES_MEMORY, _WRITES_FILE, _PROCESSES = 16 << 30, 16 << 30, 2048
_TRIED_FILE = 256 << 20


@define(eq=False, repr=False)
class Planned:
    """One program of a run, with its surroundings and, once it is planned, the message for its child.

    Args:
        private: Its own private folder.
        folder: The absolute path of its working directory.
        protection: The names protected while it runs, if it may write.
        egress: Its proxy, if it may reach some hosts.
        descriptors: Descriptors for its network: its gate, or the two of the namespaces that it joins. A single one
            without a proxy means that it offers its own network.
        overlay: The folder that takes its changes in a dry run, else empty.
    """

    private: Private
    folder: str
    protection: Protection | None
    egress: Egress | None
    descriptors: tuple[int, ...]
    overlay: str = ""
    command: Sequence[str] = field(init=False, default=())
    request: dict[str, Any] = field(init=False, factory=dict)
    level: int = field(init=False, default=0)
    told: tuple[str, ...] = field(init=False, default=())
    """Notes to report about its level."""
    read_only: str = field(init=False, default="")
    """Note to report if it fails, empty for none."""


@define(eq=False, repr=False)
class Planner:
    """Planner for the programs of one workspace."""

    root: str
    _descriptor: int
    _open_it: Open
    _settings: Settings

    def plan(
        self, one: Planned, part: Piped, program: Program, features: Features, reached: tuple[Reached, ...] | None
    ) -> None:
        """Complete a program with its level and the message for its child."""
        protection, egress, rights = one.protection, one.egress, part.rights
        home = {} if rights.confined else {"HOME": os.path.expanduser("~")}
        if rights.confined:
            guards = bool(protection and protection.found)
            one.level, one.told = level_for(self._settings, features, reached, changes=changes(rights), guards=guards)
        plan = self._plan(program, rights, one, features)
        plan["offers"] = len(one.descriptors) == 1 and egress is None
        one.command = [program.path, *part.argv[1:]]
        given = {**rights.env, **(egress.variables if egress else {})}
        one.request = {
            "argv": one.command,
            "env": environment(program, one.private, one.folder, given) | home,
            "plan": plan,
            "output": part.output,
            "errors": part.errors,
            "gates": len(one.descriptors),
        }
        one.read_only = protection.why_read_only if protection and features.namespaces else ""

    def _plan(self, program: Program, rights: Rights, one: Planned, features: Features) -> dict[str, Any]:
        private, protection = one.private, one.protection
        if protection is not None:
            protection.remember(links_only=features.namespaces)
        outside = tuple(os.path.realpath(path) for path in rights.writes_outside if os.path.isabs(path))
        home = tuple(map(_still_there, rights.home.values()))
        view = (changes(rights) or bool(one.overlay)) and features.namespaces and rights.confined
        skip = frozenset(self._settings.skip_folders)
        sockets = live_sockets(self._descriptor, self._open_it, skip) if view else ()
        executable = (self.root, private.folder, *program.folders) if rights.executes else ()
        memory, file = (_WRITES_MEMORY, _WRITES_FILE) if changes(rights) else (_READS_MEMORY, _READS_FILE)
        return {
            "root": self.root,
            "program": program.path,
            "writable": (*(self._writable(path) for path in rights.writes), *outside),
            "protected": protection.to_bind() if protection is not None and features.namespaces else (),
            "masked": tuple(os.path.join(self.root, path) for path in sockets),
            "readable": (*rights.reads, *home, *program.folders, *(path for _, path in program.env)),
            "executable": (*executable, *(path for _, path in program.env if rights.executes and path)),
            "network": rights.network,
            "temporary": private.folder,
            "memory_bytes": memory,
            "processes": _PROCESSES,
            "file_bytes": _TRIED_FILE if one.overlay else file,
            "layers": tuple(layers_of(features)) if rights.confined else (),
            "exact": True,
            "overlay": one.overlay,
        }

    def _writable(self, path: str) -> str:
        """Return the absolute path of what may be changed; links are refused."""
        if not path.strip("/"):
            return self.root
        path = normal(path, self.root)
        try:
            with held(self._open_it(self._descriptor, path, PATH_ONLY | os.O_NOFOLLOW, False)) as descriptor:
                if stat.S_ISLNK(os.fstat(descriptor).st_mode):
                    raise ToolFailed("permission", f"{path} is a symbolic link, and nothing is written through one")
        except OSError as error:
            raise failure(error, path, self._descriptor, self._open_it) from None
        return os.path.normpath(os.path.join(self.root, path))


@frozen
class Manner:
    """Options of a run: those of the `Workspace` port, and the network."""

    cwd: str = "."
    stdin: bytes = b""
    timeout_s: float = 30.0
    merged: bool = False
    on_output: Callable[[bytes], None] | None = None
    cancelled: threading.Event | None = None
    in_process: str = ""
    running: Running | None = None
    trial: TrialFolder | None = None

    def offers(self, part: Piped, parts: Sequence[Piped]) -> Network | None:
        """Return what takes the network of a program: of each in a dry run, else of the first that changes things."""
        if self.trial is not None:
            return self.trial.network()
        first = next((one for one in parts if changes(one.rights)), None)
        return self.running.network if self.running is not None and part is first else None


def _still_there(path: str) -> str:
    """Return the path of a file outside the workspace that involves no link."""
    if os.path.realpath(path) != path or not os.path.isfile(path):
        raise ToolFailed("conflict", f"{path} is no longer the file that it was; nothing was run", "name it again")
    return path


def changes(rights: Rights) -> bool:
    """Return whether a program may do more than read."""
    return bool(rights.writes or rights.executes or rights.network or rights.hosts or rights.writes_outside)


def check(parts: Sequence[Piped], timeout_s: float) -> None:
    """Raise for parts that cannot be started at all."""
    if not parts or not all(part.argv and part.argv[0] for part in parts):
        raise ToolFailed("validation", "there is no program to run")
    for word in (word for part in parts for word in part.argv):
        try:
            if "\0" in word:
                raise ToolFailed("validation", f"not an argument that a program can be given: {word!r}")
            word.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            raise ToolFailed("validation", f"the argument {word!r} is not valid text") from None
    if not timeout_s > 0:
        raise ToolFailed("validation", f"not a number of seconds to run: {timeout_s}")


def require_one_guard(parts: Sequence[Piped], features: Features) -> None:
    """Refuse parts that may change different files if the culprit could not be named afterwards."""
    kinds = {(part.rights.writes, part.rights.keeps) for part in parts if part.rights.writes}
    if len(kinds) > 1 and not features.namespaces:
        raise ToolFailed(
            "permission", "without a mount namespace commands that may change different things can't be piped",
            "run them one after the other",
        )  # fmt: skip
