"""Servers' tools as tools of Inarch."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any, Literal, Protocol

from attrs import define

import inarch
from inarch_mcp.definitions import Definition, guarded_name, matches
from inarch_mcp.hub import Hub, ServerCall
from inarch_mcp.mcp_settings import Server
from inarch_mcp.server_records import target

ANYTHING = inarch.Effects(exclusive=True)
NOTHING = inarch.Effects()


class Owner(Protocol):
    """The catalog of a tool."""

    hub: Hub

    def ran(self, server: str, definition: Definition) -> None:
        """Take note of an approved call, before it runs."""

    def linked(self, server: str, result: Mapping[str, Any]) -> None:
        """Take note of the resources that a result links."""


class OwnTool:
    """Members that the tools of this plugin share."""

    category: Literal["other"] = "other"
    output_schema: Mapping[str, Any] | None = None
    max_retries = 0
    requires_confirmation = receives_secrets = False


@define(eq=False, repr=False)
class ServerTool(OwnTool):
    """One tool of one server.

    Args:
        name: Its name here.
        server: The server's name.
        definition: The server's definition.
        reads_only: Whether it changes nothing, according to the user or to a trusted server.
        timeout_s: Seconds that a call may take.
        input_schema: The schema of its arguments, with a comment that binds lasting approvals to the definition.
        owner: The catalog.
        is_deferred: Whether requests leave it out, so that the model finds it with `tool_search`.
        least_window: Tokens of room below which requests leave it out, None for none.
    """

    name: str
    server: str
    definition: Definition
    reads_only: bool
    timeout_s: float
    input_schema: Mapping[str, Any]
    owner: Owner
    is_deferred: bool = False
    least_window: int | None = None

    @classmethod
    def of(cls, name: str, server: tuple[str, Server], definition: Definition, owner: Owner) -> ServerTool:
        """Make the tool of a definition."""
        given, settings = server
        reads_only = matches(definition.tool, settings.read_only) or (settings.trust_hints and definition.reads_only)
        # An approval is bound to the server's whole definition, not only to the shape of the arguments.
        bound = sha256(repr((target(settings), sorted(definition.prints.items()))).encode()).hexdigest()[:16]
        schema = {"$comment": f"definition {bound}", **_without_comment(definition.input_schema)}
        return cls(name, given, definition, reads_only, settings.timeout_s, schema, owner)

    @property
    def description(self) -> str:
        """Return the server's description, marked with the server's name."""
        return f"[MCP server {self.server}] {self.definition.description}"

    @property
    def title(self) -> str:
        """Return the server's title with the server's name, so that it can't pass for another tool; "" without one."""
        return f"{self.server}: {self.definition.title}" if self.definition.title else ""

    @property
    def known_as(self) -> tuple[str, ...]:
        """Return its name in Claude Code, which guards use."""
        return (guarded_name(self.server, self.definition.tool),)

    def offered(self, model: str) -> bool:
        """Return whether requests contain the tool. It can be called in any case."""
        return not self.is_deferred

    @property
    def output_schema(self) -> Mapping[str, Any] | None:  # type: ignore[override]
        """Return the schema of its structured results."""
        return self.definition.output_schema

    def effects(self, arguments: Mapping[str, Any]) -> inarch.Effects:
        """Return no effects for a tool that only reads, and any effects for the others."""
        return NOTHING if self.reads_only else ANYTHING

    def shape(self, arguments: Mapping[str, Any]) -> str:
        """Return the description of the calls that a lasting approval covers."""
        return f"every call of {self.name}, as MCP server {self.server} defines it now"

    async def run(self, arguments: Mapping[str, Any], context: inarch.ToolContext) -> Any:
        """Call the server's tool. Its progress and log become live output.

        Raises:
            inarch.ToolFailed: The tool failed, or the connection was lost.
        """

        def report(text: str) -> None:
            try:
                context.emit(text)
            except inarch.Cancelled:  # the call is over, and the cancel itself reaches the server
                pass

        self.owner.ran(self.server, self.definition)
        given = dict(arguments)
        call = ServerCall(self.server, self.definition, given, self.reads_only, report, context.turn_id)
        answer = await self.owner.hub.call(call)
        self.owner.linked(self.server, answer)
        images = tuple(filter(None, map(_image, answer.get("content") or ())))
        return inarch.ToolResult(True, data_of(answer), images=images) if images else data_of(answer)


def _without_comment(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key != "$comment"}


LONGEST_ERROR = 4_000


def data_of(result: Mapping[str, Any]) -> Any:
    """Return the data of a result: the structured content if there is any, else its texts.

    A text that is one JSON object or list is parsed. Pictures come beside it, sounds and files are only mentioned.

    Raises:
        inarch.ToolFailed: The tool failed.
    """
    texts = list(_texts(result.get("content") or ()))
    text = "\n".join(texts)
    if result.get("isError"):
        said = text[:LONGEST_ERROR].strip() or "it failed without saying why"
        raise inarch.ToolFailed("execution", said, "this is the server's own error: see what it asks for")
    if "structuredContent" in result:
        return result["structuredContent"]
    if len(texts) == 1 and text[:1] in ("{", "["):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text
    return text


def _texts(content: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    for item in content:
        kind = item.get("type")
        if kind == "text":
            yield str(item.get("text", ""))
        elif kind in ("image", "audio"):
            size = len(str(item.get("data", ""))) * 3 // 4
            shown = "" if _image(item) else ", not shown"
            yield f"[{kind} {item.get('mimeType', '')}, {size:,} bytes{shown}]"
        elif kind == "resource":
            yield _resource(item.get("resource") or {})
        elif kind == "resource_link":
            said = ": ".join(str(item[key]) for key in ("name", "description") if item.get(key))
            yield f"[resource {item.get('uri', '')} {said}]"
        else:
            yield f"[content of type {kind}, not shown]"


def _image(item: Mapping[str, Any]) -> inarch.Image | None:
    """Return the picture of a content item, None if it has none that can be decoded."""
    if item.get("type") != "image":
        return None
    try:
        return inarch.Image(str(item.get("mimeType", "")), b64decode(str(item.get("data", "")), validate=True))
    except ValueError:
        return None


def _resource(resource: Mapping[str, Any]) -> str:
    if isinstance(resource.get("text"), str):
        return f"[resource {resource.get('uri', '')}]\n{resource['text']}"
    size = len(str(resource.get("blob", ""))) * 3 // 4
    return f"[resource {resource.get('uri', '')} {resource.get('mimeType', '')}, {size:,} bytes, not shown]"
