"""Resources and prompts of `inarch mcp serve`: sessions of the workspace, execution paths, and prompt files."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote, urlsplit

from attrs import frozen
from mcp import MCPError, types
from mcp.server.context import ServerRequestContext

import inarch

if TYPE_CHECKING:
    from inarch_mcp.mcp_server import Offer

SCHEME = "inarch"
SESSIONS = f"{SCHEME}://sessions"
PATHS = f"{SCHEME}://paths"
TRACE = "trace_execution"
MOST_LISTED = 50
"""Number of sessions in the list of resources, newest first."""
_Context = ServerRequestContext[Any, Any]


@frozen
class Served:
    """What a server offers beside its tools. If the tools are limited by globs, it offers no sessions and prompts."""

    offer: Offer

    def handlers(self) -> Mapping[str, Any]:
        """Return the handlers by their parameters in the package's server."""
        return {
            "on_list_resources": self._list,
            "on_list_resource_templates": self._templates,
            "on_read_resource": self._read,
            "on_list_prompts": self._prompts,
            "on_get_prompt": self._prompt,
        }

    async def _list(self, _: _Context, __: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        kind = "text/markdown"
        listed = [
            types.Resource(
                uri=f"{SESSIONS}/{one.id}",
                name=one.title or one.id,
                description=f"Session of {one.updated}",
                mime_type=kind,
            )
            for one in self._sessions()[:MOST_LISTED]
        ]
        about = types.Resource(uri=SESSIONS, name="Sessions of this workspace", mime_type=kind)
        return types.ListResourcesResult(resources=[about, *listed] if self.offer.is_whole else [])

    async def _templates(
        self, _: _Context, __: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        session = types.ResourceTemplate(
            uri_template=f"{SESSIONS}/{{id}}",
            name="Session",
            description="A session's record",
            mime_type="text/markdown",
        )
        path = types.ResourceTemplate(
            uri_template=f"{PATHS}/{{target}}",
            name="Execution paths",
            description="Entry points that reach a function, and what it calls: a name, Class.method or path:line",
            mime_type="text/plain",
        )
        found = [session] if self.offer.is_whole else []
        return types.ListResourceTemplatesResult(
            resource_templates=[*found, path] if TRACE in self.offer.tools else found
        )

    async def _read(self, _: _Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        parts = urlsplit(params.uri)
        base, name, kind = f"{parts.scheme}://{parts.netloc}", unquote(parts.path.removeprefix("/")), "text/markdown"
        if base == PATHS and name and TRACE in self.offer.tools:
            text, kind = await self._traced(name), "text/plain"
        elif base == SESSIONS and self.offer.is_whole:
            text = self._session(name) if name else self._overview()
        else:
            raise MCPError(types.INVALID_PARAMS, f"there is no resource {params.uri!r}")
        content = types.TextResourceContents(uri=params.uri, mime_type=kind, text=text)
        return types.ReadResourceResult(contents=[content])

    async def _prompts(self, _: _Context, __: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        words = [types.PromptArgument(name="words", description="What follows the command's name")]
        prompts = [
            types.Prompt(name=name, description=one.help, arguments=words) for name, one in self._commands().items()
        ]
        return types.ListPromptsResult(prompts=prompts)

    async def _prompt(self, _: _Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        command = self._commands().get(params.name)
        if command is None:
            raise MCPError(types.INVALID_PARAMS, f"there is no prompt {params.name!r}")
        said: list[str] = []
        line = f"/{params.name} {(params.arguments or {}).get('words', '')}".rstrip()
        async with self.offer.turn(alone=True):
            try:
                prompts = await self.offer.app.command(self.offer.session, line, said.append)
            except inarch.InarchError as error:
                raise MCPError(types.INVALID_PARAMS, str(error)) from error
        if not prompts:
            raise MCPError(types.INVALID_PARAMS, "\n".join(said) or f"the prompt {params.name!r} is empty")
        messages = [
            types.PromptMessage(role="user", content=types.TextContent(type="text", text=text)) for text in prompts
        ]
        return types.GetPromptResult(description=command.help, messages=messages)

    def _commands(self) -> dict[str, inarch.SlashCommand]:
        """Return the commands that only submit a prompt."""
        commands = self.offer.app.composition.slash_commands if self.offer.is_whole else {}
        return {name: one.value for name, one in commands.items() if one.value.asks and not one.value.at_once}

    def _sessions(self) -> list[inarch.SessionInfo]:
        app, own = self.offer.app, self.offer.session.id
        return [one for one in app.store.sessions(str(app.config.root)) if one.id != own]

    def _overview(self) -> str:
        rows = [f"- [{inarch.escape(one.title) or one.id}]({SESSIONS}/{quote(one.id)}), {one.updated}"
                for one in self._sessions()]  # fmt: skip
        return "\n".join(["# Sessions", "", *rows, ""])

    def _session(self, session_id: str) -> str:
        app = self.offer.app
        exporter = app.composition.exporters.get("markdown")
        if exporter is None or session_id not in {one.id for one in self._sessions()}:
            raise MCPError(types.INVALID_PARAMS, f"there is no session {session_id!r} of this workspace")
        out = io.StringIO()
        exporter.value.export(app.transcript(session_id), out)
        return out.getvalue()

    async def _traced(self, target: str) -> str:
        async with self.offer.turn(alone=False):
            result = await self.offer.session.call_tool(TRACE, {"function": target}, lambda _: None)
        if result.error is not None:
            raise MCPError(types.INVALID_PARAMS, result.error.message)
        return inarch.result_text(result)
