"""The servers whose tools are offered: those of `[plugins.mcp]`, and those that a program brings along."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal

from attrs import field, frozen

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,31}")


@frozen
class Server:
    """One server: a program to talk to over its standard streams, or an address of streamable HTTP.

    Args:
        command: The program. It runs in a folder of its own, so that nothing of the workspace is found before it.
        args: Its arguments; `{root}` stands for the workspace's folder. A file of the workspace counts only in a
            trusted project, as it was when you trusted it.
        env: Variables it is given, as `NAME` (your value of it) or `NAME=value`. Without them it has only `PATH`,
            `HOME`, `USER`, `LOGNAME`, `SHELL`, `LANG` and `TMPDIR`.
        cwd: Where it runs instead; `{root}` stands for the workspace's folder, in trusted projects only.
        url: The address, instead of a program.
        headers_env: Headers of the requests to it, by the names of the variables that hold their values.
        enabled: Whether its tools are offered.
        timeout_s: Seconds that one call may take.
        connect_s: Seconds that starting it and listing its tools may take.
        allow: Globs of the tools that are offered, by the server's names for them.
        deny: Globs of those that are not.
        trust_hints: Whether its word that a tool only reads counts: such a tool runs unasked.
        read_only: Globs of tools that only read, by your own knowledge: they run unasked.
        roots: Whether it is told the workspace's folder when it asks for roots.
        handshake: `auto` tries the protocol's present way to begin first, `legacy` only the one until 2025.
    """

    command: str = ""
    args: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    cwd: str = ""
    url: str = ""
    headers_env: Mapping[str, str] = field(factory=dict)
    enabled: bool = True
    timeout_s: float = 60.0
    connect_s: float = 10.0
    allow: tuple[str, ...] = ("*",)
    deny: tuple[str, ...] = ()
    trust_hints: bool = False
    read_only: tuple[str, ...] = ()
    roots: bool = False
    handshake: Literal["auto", "legacy"] = "auto"

    def __attrs_post_init__(self) -> None:
        if bool(self.command) == bool(self.url):
            raise ValueError("a server has either a command or a url")
        if self.url and not self.url.startswith(("http://", "https://")):
            raise ValueError("'url' must begin with http:// or https://")
        if min(self.timeout_s, self.connect_s) <= 0:
            raise ValueError("'timeout_s' and 'connect_s' must be above 0")


@frozen
class Settings:
    """Settings of the Model Context Protocol.

    Args:
        servers: The servers by the names that their tools' names begin with.
    """

    servers: Mapping[str, Server] = field(factory=dict)
    keys_env: tuple[str, ...] = field(init=False)
    """The variables that hold keys: Inarch puts placeholders for their values wherever they appear."""

    @keys_env.default
    def _keys(self) -> tuple[str, ...]:
        return tuple(name for server in self.servers.values() for name in server.headers_env.values())

    def __attrs_post_init__(self) -> None:
        for name in self.servers:
            if not _NAME.fullmatch(name):
                raise ValueError(f"{name!r} in 'servers' is no name: up to 32 letters, digits, _ and -, a letter first")


@frozen
class Lent:
    """A server, and the values of the variables that its headers name: they are in no environment.

    Args:
        server: How it is started or reached.
        variables: Values by the names in its `headers_env`.
    """

    server: Server
    variables: Mapping[str, str] = field(factory=dict, repr=False)


_lent: ContextVar[Mapping[str, Lent]] = ContextVar("inarch_mcp_lent")


@contextmanager
def lending(servers: Mapping[str, Lent]) -> Iterator[None]:
    """Let what is composed here have these servers, too; one of the configuration keeps its name.

    Whoever lends has asked the person: with the composition they are started.
    """
    token = _lent.set(servers)
    try:
        yield
    finally:
        _lent.reset(token)


def lent() -> Mapping[str, Lent]:
    """Return what is lent to the composition that is being made."""
    return _lent.get({})
