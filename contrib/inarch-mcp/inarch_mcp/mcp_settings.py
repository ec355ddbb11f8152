"""Settings of servers: those of `[plugins.mcp]` and those that a program adds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import PurePath
from typing import Literal

from attrs import field, frozen

DOWNLOADERS = frozenset({"npx", "npm", "pnpm", "pnpx", "yarn", "bun", "bunx", "deno", "uv", "uvx", "pipx", "docker"})
"""Programs that may download what they start."""
START_S = 10.0
LONGEST_START_S = 60.0
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,31}")
VARIABLE = re.compile(r"\{env:([A-Za-z_][A-Za-z0-9_]*)(?::-([^{}]*))?\}")
"""A variable in a value, as `{env:NAME}` or `{env:NAME:-default}`."""
PLAIN_VARIABLES = ("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TMPDIR")
"""Variables that every server gets."""


@frozen
class Server:
    """One server: a program that speaks over its standard streams, or a streamable HTTP address.

    Args:
        command: The program. It runs in its own folder, so that files of the workspace can't replace what it loads.
        args: Its arguments. `{root}` is replaced by the workspace's folder. Files of the workspace need a trusted
            project, and are used as they were when you trusted it.
        env: Its variables, as `NAME` (with your value) or `NAME=value`. Besides these it has only `PATH`, `HOME`,
            `USER`, `LOGNAME`, `SHELL`, `LANG` and `TMPDIR`. In `args`, `env` and `headers`, `{env:NAME}` is replaced by
            your value of a variable, and `{env:NAME:-text}` has a default.
        cwd: Another working directory. `{root}` is replaced by the workspace's folder, in trusted projects only.
        url: The address, instead of a program.
        headers_env: Headers of its requests, each with the name of the variable that holds its value.
        headers: Further headers of its requests, with their values.
        client_id: Inarch's client at the authorization server, or the https address of its client document. Without
            one, `inarch mcp login` registers Inarch.
        client_secret_env: The variable with that client's secret, if it has one.
        enabled: Whether its tools are offered.
        timeout_s: Time limit of one call, in seconds.
        connect_s: Time limit for starting it and listing its tools, in seconds. By default it is 60 for programs that
            download others, such as `npx` and `uvx`. For others it is 10, or more if the last start was slow.
        allow: Globs of the tools to offer, by the server's own names.
        deny: Globs of the tools not to offer.
        trust_hints: Whether to trust its hints that a tool only reads. Such tools run without asking.
        read_only: Globs of tools that you know only read. They run without asking.
        roots: Whether it gets the workspace's folder when it asks for roots.
        handshake: `auto` tries the current handshake first, `legacy` uses only the one until 2025.
        always: Whether requests always contain its tools, even if those of other servers are deferred.
    """

    command: str = ""
    args: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    cwd: str = ""
    url: str = ""
    headers_env: Mapping[str, str] = field(factory=dict)
    headers: Mapping[str, str] = field(factory=dict)
    client_id: str = ""
    client_secret_env: str = ""
    enabled: bool = True
    timeout_s: float = 60.0
    connect_s: float | None = None
    allow: tuple[str, ...] = ("*",)
    deny: tuple[str, ...] = ()
    trust_hints: bool = False
    read_only: tuple[str, ...] = ()
    roots: bool = False
    handshake: Literal["auto", "legacy"] = "auto"
    always: bool = False

    def start_limit_s(self, last_s: float = 0.0) -> float:
        """Return the time limit for a start in seconds, given the duration of the last one."""
        if self.connect_s is not None:
            return self.connect_s
        usual = LONGEST_START_S if PurePath(self.command).name in DOWNLOADERS else START_S
        return min(max(usual, 3 * last_s), LONGEST_START_S)

    @property
    def can_log_in(self) -> bool:
        """Return whether `inarch mcp login` may serve it: it has an address, and no key of its own."""
        return bool(self.url) and not any(
            name.lower() == "authorization" for name in (*self.headers_env, *self.headers)
        )

    def __attrs_post_init__(self) -> None:
        if bool(self.command) == bool(self.url):
            raise ValueError("a server has either a command or a url")
        if self.url and not self.url.startswith(("http://", "https://")):
            raise ValueError("'url' must begin with http:// or https://")
        if min(self.timeout_s, self.start_limit_s()) <= 0:
            raise ValueError("'timeout_s' and 'connect_s' must be above 0")


@frozen
class Settings:
    """Settings of the Model Context Protocol.

    Args:
        servers: The servers by name; a server's name is the prefix of its tools' names.
        deferred: Whether requests contain only an index of servers' tools, which the model then searches: `auto` if
            there are more than 40, or if they take more than a tenth of the model's window.
    """

    servers: Mapping[str, Server] = field(factory=dict)
    deferred: Literal["auto", "always", "never"] = "auto"
    keys_env: tuple[str, ...] = field(init=False)
    """The variables that hold keys. Inarch redacts their values."""

    @keys_env.default
    def _keys(self) -> tuple[str, ...]:
        servers = self.servers.values()
        named = [name for one in servers for name in (*one.headers_env.values(), one.client_secret_env)]
        texts = (text for one in servers for text in (*one.args, *one.env, *one.headers.values()))
        named += [name for text in texts for name, _ in VARIABLE.findall(text) if name not in PLAIN_VARIABLES]
        return tuple(filter(None, named))

    def __attrs_post_init__(self) -> None:
        for name in self.servers:
            if not _NAME.fullmatch(name):
                raise ValueError(f"{name!r} in 'servers' is no name: up to 32 letters, digits, _ and -, a letter first")


@frozen
class Lent:
    """A server that a program adds, with the values of its headers' variables.

    Args:
        server: The server's settings.
        variables: Values by the names in its `headers_env`; they are not in the environment.
    """

    server: Server
    variables: Mapping[str, str] = field(factory=dict, repr=False)


_lent: ContextVar[Mapping[str, Lent]] = ContextVar("inarch_mcp_lent")


@contextmanager
def lending(servers: Mapping[str, Lent]) -> Iterator[None]:
    """Add servers to applications composed in this context. Configured servers of the same name win.

    The caller must have asked the person, because the composition starts the servers.
    """
    token = _lent.set(servers)
    try:
        yield
    finally:
        _lent.reset(token)


def lent() -> Mapping[str, Lent]:
    """Return the servers added to the current composition."""
    return _lent.get({})
