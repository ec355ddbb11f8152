"""The environment of a program, built from zero: what Inarch itself was given, keys above all, stays with it."""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Mapping

from attrs import frozen

from inarch import ToolFailed
from inarch_sandbox_fs.processes.emptying import remove
from inarch_sandbox_fs.processes.programs import Program

_MEMORY = "/dev/shm"


@frozen
class Private:
    """A private folder: of what starts together, and in it that of each program, which no other one can reach.

    It is made before they start and removed when they are over.

    Args:
        folder: Its absolute path; nothing stands there yet.
    """

    folder: str

    @classmethod
    def new(cls, small: bool) -> Private:
        """Name a folder that nobody can guess; one that stays small lies in memory, where it is gone much faster."""
        where = _MEMORY if small and os.access(_MEMORY, os.W_OK) else tempfile.gettempdir()
        return cls(os.path.join(os.path.realpath(where), f"inarch-{secrets.token_hex(12)}"))

    def of(self, number: int) -> Private:
        """Return the private folder of one of the programs, which is its home folder."""
        return Private(os.path.join(self.folder, str(number)))

    @property
    def temporary(self) -> str:
        """Where a program puts temporary files."""
        return os.path.join(self.folder, "tmp")

    def remove(self) -> None:
        """Remove what a supervisor that was killed could not."""
        where, name = os.path.split(self.folder)
        try:
            beside = os.open(where, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError:
            return
        remove(beside, name)
        os.close(beside)


def environment(program: Program, private: Private, folder: str, added: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of a program.

    Args:
        program: What runs.
        private: Its own private folder.
        folder: The absolute path of its working directory.
        added: Variables that its rights give it.

    Raises:
        ToolFailed: A variable that was added can't be one.
    """
    variables = {
        "PATH": os.pathsep.join(program.search_path),
        "HOME": private.folder,
        "TMPDIR": private.temporary,
        "PWD": folder,
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "TERM": "dumb",
        "SHELL": "/bin/sh",
        "PYTHONUNBUFFERED": "1",  # output is shown as it comes
        "GIT_CONFIG_NOSYSTEM": "1",  # git ends with an error where /etc/gitconfig can't be read
        **dict(program.env),
    }
    zone = os.environ.get("TZ")
    if zone:
        variables["TZ"] = zone
    for name, value in added.items():
        if not name or "=" in name or "\0" in name + value:
            raise ToolFailed("validation", f"not a variable of an environment: {name!r}")
        variables[name] = value
    return variables
