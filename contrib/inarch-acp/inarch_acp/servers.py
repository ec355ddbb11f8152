"""MCP servers and folders that an editor sends with a session. Each needs the person's approval.

A question needs a session that the editor knows, so Inarch asks with the first prompt. inarch-mcp composes the servers
like configured ones, but without trust: Inarch asks about every call.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from acp import schema
from attrs import define, field, frozen

import inarch
from inarch_acp.prompts import fenced
from inarch_acp.tool_calls import Content, text_content
from inarch_acp.wire import plain

Given = schema.HttpMcpServer | schema.SseMcpServer | schema.AcpMcpServer | schema.McpServerStdio
Choose = Callable[[schema.ToolCallUpdate, list[schema.PermissionOption]], Awaitable[tuple[str, str]]]
Send = Callable[[schema.ToolCallStart | schema.ToolCallProgress], None]
IS_THERE = find_spec("inarch_mcp") is not None
ABSENT = "the editor's MCP servers are not used: the distribution inarch-mcp is not installed beside inarch-acp"
_YES = ("once", "always")
_OPTIONS = [
    schema.PermissionOption(option_id="once", name="Yes, for this session", kind="allow_once"),
    schema.PermissionOption(
        option_id="always", name="Yes, in every session until the editor ends", kind="allow_always"
    ),
    schema.PermissionOption(option_id="no", name="No", kind="reject_once"),
]


@frozen
class Asked:
    """A server or a folder that the editor names. A lasting answer is bound to what is `exact`."""

    title: str
    kind: schema.ToolKind
    shown: str
    words: str
    exact: str = field(repr=False)
    name: str = ""
    given: schema.McpServerStdio | schema.HttpMcpServer | None = field(default=None, repr=False)
    """The editor's own definition of a server, None for a folder."""

    @property
    def secrets(self) -> list[tuple[str, str]]:
        """Return the values that Inarch redacts, by their names."""
        headers = self.given.headers if isinstance(self.given, schema.HttpMcpServer) else []
        return [(one.name, one.value) for one in headers if one.value]

    @property
    def variables(self) -> list[tuple[str, str]]:
        """Return its environment variables, some of which may be secret."""
        given = self.given
        return [(one.name, one.value) for one in given.env] if isinstance(given, schema.McpServerStdio) else []


def _folder(place: str) -> Asked:
    words = "The editor named it. Its files are read without a question then, and changed as those of the root are."
    return Asked("add a folder to the workspace", "read", place, words, place)


def _server(given: schema.McpServerStdio | schema.HttpMcpServer, name: str) -> Asked:
    kind: schema.ToolKind = "fetch" if isinstance(given, schema.HttpMcpServer) else "execute"
    words = "The editor named it. It can do whatever you can; each call of its tools is asked about."
    exact = repr(given.model_dump())
    return Asked(f"start the MCP server {name}", kind, _shown(given), words, exact, name, given)


def read_folders(given: Iterable[str]) -> tuple[list[Asked], list[str]]:
    """Return the folders to ask about, and a line for each one that can't be used."""
    places = list(dict.fromkeys(given))
    wrong = [one for one in places if "\0" in one or not os.path.isabs(one) or not os.path.isdir(one)]  # noqa: PTH112, PTH117
    folders = [_folder(os.path.realpath(one)) for one in places if one not in wrong]
    return folders, [f"{inarch.escape(one)} is not added: it is no folder, or its path not absolute" for one in wrong]


def read_servers(given: Iterable[Given]) -> tuple[list[Asked], list[str]]:
    """Return the servers to ask about, and a line for each one that can't be used."""
    wanted: list[Asked] = []
    remarks: list[str] = []
    for one in given:
        name = plain(inarch.escape(one.name, keep_newlines=False))
        if not isinstance(one, schema.McpServerStdio | schema.HttpMcpServer):
            remarks.append(f"MCP server {name} is not used: it is of the kind {one.type}, known are stdio and http")
        elif not _is_place(one):
            remarks.append(f"MCP server {name} is not used: it has neither a program nor an address of http or https")
        else:
            wanted.append(_server(one, _free_name(one.name, wanted)))
    if wanted and not IS_THERE:
        return [], [*remarks, ABSENT]
    return wanted, remarks


def _is_place(given: schema.McpServerStdio | schema.HttpMcpServer) -> bool:
    if isinstance(given, schema.HttpMcpServer):
        return given.url.startswith(("http://", "https://"))
    return bool(given.command.strip()) and "\0" not in "".join([given.command, *given.args])


def _free_name(name: str, taken: Sequence[Asked]) -> str:
    """Return a unique name that is valid in tool names and close to the editor's."""
    word = re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-_")[:28]
    word = word if word[:1].isalpha() else f"mcp-{word}"[:28].rstrip("-")
    known = {one.name for one in taken}
    return next(one for one in (word, *(f"{word}-{n}" for n in range(2, len(known) + 3))) if one not in known)


def _shown(given: schema.McpServerStdio | schema.HttpMcpServer) -> str:
    if isinstance(given, schema.HttpMcpServer):
        names = ", ".join(one.name for one in given.headers)
        return given.url + (f"\nwith the headers {names}" if names else "")
    names = ", ".join(one.name for one in given.env)
    return shlex.join([given.command, *given.args]) + (f"\nwith the variables {names}" if names else "")


@define(eq=False)
class Consent:
    """The person's answers about servers and folders, until the editor exits."""

    _always: set[str] = field(init=False, factory=set)

    async def ask(self, wanted: Sequence[Asked], choose: Choose, send: Send) -> list[Asked]:
        """Ask about each server and folder, show the outcome, and return the approved ones."""
        agreed: list[Asked] = []
        for one in wanted:
            chosen = "always" if one.exact in self._always else await self._asked(one, choose, send)
            if chosen == "always":
                self._always.add(one.exact)
            if chosen in _YES:
                agreed.append(one)
        return agreed

    async def _asked(self, one: Asked, choose: Choose, send: Send) -> str:
        call_id, title, kind = f"editor-{inarch.new_id()}", one.title, one.kind
        content: list[Content] = [text_content(fenced(plain(inarch.escape(one.shown)))), text_content(one.words)]
        send(schema.ToolCallStart(session_update="tool_call", tool_call_id=call_id, title=title, kind=kind,
                                  status="pending", content=content))  # fmt: skip
        shown = schema.ToolCallUpdate(tool_call_id=call_id, title=title, kind=kind, status="pending", content=content)
        chosen, why_not = "", "the prompt was cancelled"
        try:
            chosen, why_not = await choose(shown, _OPTIONS)
        finally:
            is_yes = chosen in _YES
            why = f": {why_not}" if why_not else ""
            said = "It was agreed to." if is_yes else f"It is left out{why}."
            send(schema.ToolCallProgress(session_update="tool_call_update", tool_call_id=call_id,
                                         status="completed" if is_yes else "failed",
                                         content=[*content, text_content(said)]))  # fmt: skip
        return chosen


@contextmanager
def lent(servers: Sequence[Asked]) -> Iterator[Sequence[str]]:
    """Add these servers to applications composed in this context, and yield the plugins they need."""
    if not servers:
        yield ()
        return
    import inarch_mcp

    with inarch_mcp.lending({one.name: _lent(one) for one in servers}):
        yield ("mcp",)


def _lent(one: Asked) -> Any:
    import inarch_mcp

    if isinstance(one.given, schema.McpServerStdio):
        env = tuple(f"{name}={value}" for name, value in one.variables)
        server = inarch_mcp.Server(command=one.given.command, args=tuple(one.given.args), env=env)
        return inarch_mcp.Lent(server)
    named = {name: f"{one.name} header {name}" for name, _ in one.secrets}
    variables = {named[name]: value for name, value in one.secrets}
    assert one.given is not None
    return inarch_mcp.Lent(inarch_mcp.Server(url=one.given.url, headers_env=named), variables)
