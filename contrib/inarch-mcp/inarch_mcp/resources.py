"""Tool that lists and reads servers' resources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from attrs import define

import inarch
from inarch_mcp.server_tools import ANYTHING, NOTHING, OwnTool, data_of

if TYPE_CHECKING:
    from inarch_mcp.catalog import Catalog

READ = "read_resource"


@define(eq=False, repr=False)
class ReadResource(OwnTool):
    """The tool `read_resource`. Resources that a server lists, or that a result links, need no approval."""

    catalog: Catalog
    servers: tuple[str, ...]
    timeout_s: float
    name: str = READ
    title: str = "Read[ {uri}] from the MCP server {server}"
    description: str = "Read a resource of an MCP server. Without a uri, list the server's resources and templates."
    known_as: tuple[str, ...] = ("ReadMcpResourceTool", "ListMcpResourcesTool")

    @property
    def input_schema(self) -> Mapping[str, Any]:
        """Return the schema: a server, and the address of a resource."""
        return {
            "type": "object",
            "properties": {"server": {"enum": [*self.servers]}, "uri": {"type": "string"}},
            "required": ["server"],
            "additionalProperties": False,
        }

    def effects(self, arguments: Mapping[str, Any]) -> inarch.Effects:
        """Return no effects for a known resource, and any effects for another, which may be of any kind."""
        uri = arguments.get("uri")
        return NOTHING if not uri or self.catalog.knows(arguments["server"], uri) else ANYTHING

    def shape(self, arguments: Mapping[str, Any]) -> str:
        """Return the description of the calls that a lasting approval covers."""
        return f"every resource of MCP server {arguments['server']}"

    async def run(self, arguments: Mapping[str, Any], context: inarch.ToolContext) -> Any:
        """Return the texts of a resource, or the list.

        Raises:
            inarch.ToolFailed: The server does not return it.
        """
        server, uri = arguments["server"], arguments.get("uri")
        if not uri:
            return {"resources": inarch.to_data(self.catalog.offerings(server).resources)}
        result = await self.catalog.hub.request(server, lambda client: client.read_resource(uri))
        return data_of({"content": [{"type": "resource", "resource": one} for one in result.get("contents", ())]})
