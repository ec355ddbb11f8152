"""Start parameters of a server: arguments, folder, variables and headers."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import field, frozen

import inarch
from inarch.staging import make_folder
from inarch_mcp.mcp_settings import PLAIN_VARIABLES, VARIABLE, Server
from inarch_mcp.server_records import read, target, write

if TYPE_CHECKING:
    from inarch_mcp.login_records import LoginFile
    from inarch_mcp.stdio import Launch

WITHIN = "MCP_WITHIN_INARCH"
"""Set for every server, so that an Inarch among them does not start its own servers."""


@frozen
class Place:
    """The folders and variables of this run for servers."""

    root: str
    state: str
    environ: Mapping[str, str] = field(factory=dict, repr=False)
    recorded: bool = True
    lent: Mapping[str, str] = field(factory=dict, repr=False)
    brought: inarch.KeptFolder | None = None
    beside: str = ""
    agreed: frozenset[str] = frozenset()
    """Servers that the person has just agreed to start, exactly as shown."""
    cache: str = ""
    """The folder with the durations of starts; "" for none."""

    def launch(self, name: str, server: Server) -> Launch:
        """Return a server's launch parameters, and create its folder.

        Raises:
            OSError: The folder can't be created, or the program is missing.
            inarch.ToolFailed: The server would run files of an untrusted project.
        """
        from inarch_mcp.stdio import Launch

        cwd = self._filled(server.cwd) if server.cwd else str(self._folder(name))
        argv, variables = (server.command, *map(self._filled, server.args)), self.variables(server)
        if name in self.agreed:
            return Launch(argv, variables, cwd)
        if server.cwd and self.brought is None and inarch.named_folders([cwd], self.root):
            message = f"it starts in {cwd}, in a project that is not trusted"
            raise inarch.ToolFailed("permission", message, "look at it, then: inarch config trust")
        path, values = variables.get("PATH", os.defpath), self._rooted(server)
        try:
            words = inarch.user_command(
                (*argv, *values), root=self.root, brought=self.brought, beside=self.beside, cwd=cwd, path=path
            )  # fmt: skip
        except inarch.ToolFailed as error:
            if error.code == "not_found":
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), server.command) from error
            raise
        return Launch(words[: len(argv)], variables, cwd)

    def _rooted(self, server: Server) -> list[str]:
        """Return the parts of variables' values that name the workspace. Search paths of code need trust.

        Raises:
            inarch.ToolFailed: A variable lets a program load code from an untrusted project.
        """
        given = [item.partition("=")[::2] for item in server.env if "{root}" in item]
        for name, value in given if self.brought is None else ():
            folders = inarch.named_folders(self._filled(value).split(os.pathsep), self.root)
            if folders and (folders != ["."] or name.endswith(("PATH", "LIB", "OPT", "OPTIONS"))):
                message = f"{name} names the folder {folders[0]} of a project that is not trusted"
                raise inarch.ToolFailed("permission", message, "look at it, then: inarch config trust")
        return [part for _, value in given for part in self._filled(value).split(os.pathsep)]

    def variables(self, server: Server) -> dict[str, str]:
        """Return the environment variables of a server.

        Raises:
            inarch.ToolFailed: A variable is not set.
        """
        given = {name: self.environ[name] for name in PLAIN_VARIABLES if name in self.environ}
        for item in server.env:
            name, is_value, value = item.partition("=")
            if is_value:
                given[name] = self._filled(value)
            elif name in self.environ:
                given[name] = self.environ[name]
        return {**given, WITHIN: "1"}

    def headers(self, server: Server) -> dict[str, str]:
        """Return the headers of requests to a server.

        Raises:
            inarch.ToolFailed: A variable is not set.
        """
        values = {name: self.lent.get(name) or self.environ.get(name) for name in server.headers_env.values()}
        absent = [name for name, value in values.items() if not value]
        if absent:
            raise inarch.ToolFailed("execution", f"the variable {absent[0]} is not set", "set it, or leave it out")
        given = {header: self._filled(text) for header, text in server.headers.items()}
        return {**given, **{header: values[name] or "" for header, name in server.headers_env.items()}}

    def last_start_s(self, name: str, server: Server) -> float:
        """Return the duration of a server's last start in seconds; 0 if it is unknown."""
        found = read(self._start_path(name, server)).get("seconds") if self.cache else 0.0
        return found if isinstance(found, float) else 0.0

    def start_limit_s(self, name: str, server: Server) -> float:
        """Return the time limit for a server's start in seconds."""
        return server.start_limit_s(self.last_start_s(name, server))

    def keep_start(self, name: str, server: Server, seconds: float) -> None:
        """Store the duration of a start."""
        if self.cache:
            write(self._start_path(name, server), {"seconds": round(seconds, 3)})

    def login_file(self, server: Server) -> LoginFile | None:
        """Return the stored login of a server, or None if it takes none."""
        from inarch_mcp.login_records import LoginFile

        return LoginFile.of(self.state, server.url, self.environ) if self.state and server.can_log_in else None

    def log_path(self, name: str) -> Path | None:
        """Return the path of a server's log of standard error, or None."""
        return Path(self.state, "logs", f"{name}.log") if self.state and self.recorded else None

    def _start_path(self, name: str, server: Server) -> Path:
        return Path(self.cache, "starts", f"{name}-{target(server)}.json")

    def _folder(self, name: str) -> Path:
        folder = Path(self.state, "servers", name)
        make_folder(folder)
        return folder

    def _filled(self, text: str) -> str:
        return VARIABLE.sub(self._variable, text).replace("{root}", self.root)

    def _variable(self, found: re.Match[str]) -> str:
        value = self.environ.get(found[1]) or found[2]
        if value is None:
            raise inarch.ToolFailed("execution", f"the variable {found[1]} is not set", "set it, or leave it out")
        return value


def place_of(
    context: inarch.PluginContext, lent: Mapping[str, str] | None = None, agreed: frozenset[str] = frozenset()
) -> Place:
    """Return the folders and variables for servers. `lent` has the variables that a program added."""
    beside = str(Path(context.user.place("mcp.json")).parent) if context.user is not None else ""
    return Place(
        context.root, context.state_dir, context.environ, context.recorded, lent or {}, context.brought, beside, agreed,
        context.cache_dir,
    )  # fmt: skip
