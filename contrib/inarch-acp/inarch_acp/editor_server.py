"""Handlers of the protocol's requests, for all sessions of one editor."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from acp import PROTOCOL_VERSION, RequestError, schema
from acp.core import Connection
from attrs import define, field
from pydantic import BaseModel, ValidationError

import inarch
from inarch import host
from inarch_acp.editor_commands import available_commands, check_model, check_variable, methods
from inarch_acp.editor_files import EditorFiles
from inarch_acp.editor_session import Talk, notification
from inarch_acp.prompts import Injected, InjectRequest, RevokeRequest, read_prompt
from inarch_acp.servers import IS_THERE, Asked, Consent, lent, read_folders, read_servers
from inarch_acp.updates import Update
from inarch_acp.wire import INVALID_REQUEST, Wire, as_json, plain

INVALID_PARAMS, INTERNAL, NOT_FOUND = -32602, -32603, -32002
LAST_ANSWERS_S = 5.0
"""Seconds that open requests may take after the client has gone."""
_NO_EFFECTS = "the editor's MCP servers are not started: it was started with --approve none"

_Opening = schema.NewSessionRequest | schema.LoadSessionRequest | schema.ResumeSessionRequest


def serve(profile: str | None, flags: Mapping[str, Any], models: tuple[str, ...] = ()) -> int:
    """Serve the client at the other end of standard input and output until it goes away.

    Nothing else can use standard input or output from then on. Output of plugins and programs goes to standard error.

    Args:
        profile: The profile of every session; None for the configured one.
        flags: Keys of the profile that override every other source.
        models: Models to offer besides the profile's own.

    Raises:
        UsageError: Standard input or output is closed.
    """
    if os.isatty(0):
        sys.stderr.write("inarch acp: an editor starts this command; it waits for messages now, Ctrl-D ends it\n")
    try:
        source, sink = os.dup(0), os.dup(1)
    except OSError:
        raise inarch.UsageError("standard input or output is closed", "have an editor start this command") from None
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # there is no standard error
        os.dup2(nothing, 1)
    return asyncio.run(_served(source, sink, profile, flags, models))


async def _served(
    source: int, sink: int, profile: str | None, flags: Mapping[str, Any], models: tuple[str, ...]
) -> int:
    wire = Wire(source, sink)
    server = Server(wire, profile, flags, models)
    connection = server.connection = Connection(server.answer, wire, listening=False)
    loop = asyncio.get_running_loop()
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        with suppress(AttributeError, NotImplementedError, ValueError):
            loop.add_signal_handler(getattr(signal, name), wire.hang_up)
    try:
        await connection.main_loop()
    finally:
        await server.close()
        await connection.close()
    return 0


@define(eq=False)
class Server:
    """Answers the requests of one client."""

    wire: Wire
    profile: str | None = None
    flags: Mapping[str, Any] = field(factory=dict)
    models: tuple[str, ...] = ()
    connection: Connection = field(init=False)
    _talks: dict[str, Talk] = field(init=False, factory=dict)
    _opening: set[str] = field(init=False, factory=set)
    _composing: asyncio.Lock = field(init=False, factory=asyncio.Lock)
    _consent: Consent = field(init=False, factory=Consent)
    _is_known: bool = field(init=False, default=False)
    _services: schema.FileSystemCapabilities = field(init=False, factory=schema.FileSystemCapabilities)
    _answering: set[asyncio.Task[Any]] = field(init=False, factory=set)
    _loop: asyncio.AbstractEventLoop = field(init=False, factory=asyncio.get_running_loop)

    async def answer(self, method: str, params: Any, is_notification: bool) -> dict[str, Any] | None:
        """Return the result of a request, or None for a notification.

        Raises:
            RequestError: The request failed.
        """
        if is_notification:
            await self._told(method, params)
            return None
        if (task := asyncio.current_task()) is not None:
            self._answering.add(task)
            task.add_done_callback(self._answering.discard)
        if method not in _METHODS:
            raise RequestError.method_not_found(method)
        model, handle = _METHODS[method]
        try:
            request = model.model_validate({} if params is None else params)
        except ValidationError as error:
            wrong = [{"where": list(one["loc"]), "what": one["msg"]} for one in error.errors()]
            raise RequestError(INVALID_PARAMS, "Invalid params", {"errors": wrong}) from None
        if not self._is_known and method != "initialize":
            raise RequestError(INVALID_REQUEST, "initialize comes first")
        try:
            result = await handle(self, request)
        except inarch.UsageError as error:
            raise RequestError(INVALID_PARAMS, plain(str(error))) from None
        except inarch.InarchError as error:
            raise RequestError(INTERNAL, plain(str(error))) from None
        return as_json(result) if result is not None else {}

    async def _told(self, method: str, params: Any) -> None:
        """Handle a notification. Ignore an unknown one, because the client expects no reply."""
        if method == "session/cancel":
            with suppress(ValidationError):
                session_id = schema.CancelNotification.model_validate(params).session_id
                if session_id in self._talks:
                    await self._talks[session_id].cancel()

    async def close(self) -> None:
        """Cancel running prompts, wait for open requests, and close every session."""
        await asyncio.sleep(0)  # lets the last request start
        for talk in list(self._talks.values()):
            await talk.cancel()
        if self._answering:
            await asyncio.wait(self._answering, timeout=LAST_ANSWERS_S)
        for talk in list(self._talks.values()):
            await talk.close()
        self._talks.clear()

    async def _initialize(self, request: schema.InitializeRequest) -> schema.InitializeResponse:
        self._is_known = True
        offered = request.client_capabilities
        self._services = (offered and offered.fs) or self._services
        return schema.InitializeResponse(
            protocol_version=PROTOCOL_VERSION,  # the only version; a client without it disconnects
            agent_capabilities=schema.AgentCapabilities(
                load_session=True,
                prompt_capabilities=schema.PromptCapabilities(image=True, audio=False, embedded_context=True),
                mcp_capabilities=schema.McpCapabilities(http=IS_THERE, sse=False),
                session_capabilities=schema.SessionCapabilities(
                    list=schema.SessionListCapabilities(),
                    resume=schema.SessionResumeCapabilities(),
                    close=schema.SessionCloseCapabilities(),
                    additional_directories=schema.SessionAdditionalDirectoriesCapabilities(),
                    field_meta={"inject": {"modes": ["steer"]}},
                ),
            ),
            auth_methods=[*await asyncio.to_thread(methods, self.profile, self.flags)],
            agent_info=schema.Implementation(name="inarch", title="Inarch", version=inarch.__version__),
        )

    async def _authenticate(self, request: schema.AuthenticateRequest) -> None:
        app = await self._composed(str(Path.home()))
        try:  # reads the keyring
            await asyncio.to_thread(check_variable, request.method_id, methods(self.profile, self.flags), app.environ)
        finally:
            await app.aclose()

    async def _new(self, request: schema.NewSessionRequest) -> schema.NewSessionResponse:
        talk = await self._opened(request, None)
        await asyncio.to_thread(talk.keep)
        return schema.NewSessionResponse(session_id=talk.id, modes=talk.modes, config_options=talk.options)

    async def _load(self, request: schema.LoadSessionRequest) -> schema.LoadSessionResponse:
        talk = await self._opened(request, request.session_id)
        await talk.replay()
        return schema.LoadSessionResponse(modes=talk.modes, config_options=talk.options)

    async def _resume(self, request: schema.ResumeSessionRequest) -> schema.ResumeSessionResponse:
        talk = await self._opened(request, request.session_id)
        return schema.ResumeSessionResponse(modes=talk.modes, config_options=talk.options)

    async def _list(self, request: schema.ListSessionsRequest) -> schema.ListSessionsResponse:
        root = _checked(request.cwd) if request.cwd else None
        app = await self._composed(root or str(Path.home()))
        try:
            found = list(await asyncio.to_thread(app.store.sessions, root))
        finally:
            await app.aclose()
        found.sort(key=lambda one: (one.updated, one.id), reverse=True)
        shown = [
            schema.SessionInfo(
                session_id=one.id, cwd=plain(one.root), title=plain(one.title) or None, updated_at=one.updated
            )
            for one in found
        ]
        return schema.ListSessionsResponse(sessions=shown)

    async def _prompt(self, request: schema.PromptRequest) -> schema.PromptResponse:
        talk = self._talk(request.session_id)
        return await talk.prompt(read_prompt(request.prompt, talk.app.config.root))

    async def _inject(self, request: InjectRequest) -> Injected:
        talk = self._talk(request.session_id)
        return Injected(messageId=talk.inject(read_prompt(request.content, talk.app.config.root)))

    async def _revoke_inject(self, request: RevokeRequest) -> None:
        if self._talk(request.session_id).session.unsay(request.message_id) is None:
            raise RequestError(INVALID_PARAMS, "no such message waits: it went in, or was taken back")

    async def _close_session(self, request: schema.CloseSessionRequest) -> None:
        talk = self._talk(request.session_id)
        del self._talks[talk.id]
        await talk.close()

    async def _set_mode(self, request: schema.SetSessionModeRequest) -> None:
        talk = self._talk(request.session_id)
        talk.choose_mode(request.mode_id)
        self._send(talk.id, schema.ConfigOptionUpdate(session_update="config_option_update",
                                                      config_options=talk.options))  # fmt: skip

    async def _set_option(
        self, request: schema.SetSessionConfigOptionSelectRequest
    ) -> schema.SetSessionConfigOptionResponse:
        talk = self._talk(request.session_id)
        if request.config_id == "mode":
            talk.choose_mode(request.value)
        elif request.config_id == "model":
            await talk.choose_model(request.value)
        else:
            raise inarch.UsageError(f"there is no option {request.config_id!r}", "mode or model")
        return schema.SetSessionConfigOptionResponse(config_options=talk.options)

    async def _opened(self, request: _Opening, session_id: str | None) -> Talk:
        """Open a session and return it. An open one is returned unchanged.

        Raises:
            InarchError: The folder, the configuration or the session can't be used.
        """
        place = _checked(request.cwd)
        if session_id is not None and (known := self._talks.get(session_id)) is not None:
            if known.is_busy or place != known.app.config.root:
                raise inarch.UsageError(f"session {session_id} is in use", "wait until it has answered")
            return known
        if session_id in self._opening:
            raise inarch.UsageError(f"session {session_id} is being opened", "wait for it")
        self._opening.add(session_id or "")
        try:
            app = await self._composed(place, serves=True)
            if session_id is not None:
                await self._check_kept(app, session_id)
            talk = Talk(app, self._send, self.connection.send_request, self.models, self.flags.get("approve") == "none")
            try:
                if session_id is None:  # a stored session opens without a key
                    await asyncio.to_thread(check_model, app)
                await asyncio.to_thread(talk.open, session_id)
            except BaseException:
                await app.aclose()
                raise
        finally:
            self._opening.discard(session_id or "")
        self._talks[talk.id] = talk
        self._take(talk, request)
        # After the response: the client learns the session's id from it.
        asyncio.get_running_loop().call_soon(self._send, talk.id, available_commands(app))
        return talk

    async def _check_kept(self, app: inarch.App, session_id: str) -> None:
        try:
            await asyncio.to_thread(app.find_session, session_id)
        except inarch.UsageError as error:
            await app.aclose()
            raise _not_found(session_id, str(error)) from None

    def _take(self, talk: Talk, request: _Opening) -> None:
        """Queue a request's servers and folders for approval, and report those that can't be used."""
        folders, wrong = read_folders(request.additional_directories or ())
        servers, remarks = read_servers(request.mcp_servers or ())
        own = talk.app.config.plugin_tables.get("mcp", {}).get("servers", {})
        for one in (one for one in servers if one.name in own):
            remarks.append(f"MCP server {one.name} of the editor is not used: your configuration has one of this name")
        servers = [one for one in servers if one.name not in own]
        if servers and talk.reads_only:
            servers, remarks = [], [*remarks, _NO_EFFECTS]
        talk.wanted, talk.consent = [*folders, *servers], self._consent
        talk.compose = partial(self._composed, talk.app.config.root, serves=True)
        for remark in (*wrong, *remarks):
            talk.remark(remark)

    async def _composed(self, root: str, more: Sequence[Asked] = (), serves: bool = False) -> inarch.App:
        """Compose an application. With `serves`, its files are the editor's, if it offers them."""
        serves = serves and bool(self._services.read_text_file or self._services.write_text_file)
        added = [one.shown for one in more if one.given is None]

        def compose() -> inarch.App:
            with lent([one for one in more if one.given is not None]) as plugins:
                replacing = partial(self._with_editor, root) if serves else None
                app = inarch.compose(
                    self.profile, root, flags=self.flags, naming=("acp", *plugins), added=added, replacing=replacing
                )
            try:
                _ = app.workspace if added or serves else None  # raises if a folder can't be added; closes with it
            except BaseException:
                app.close()
                raise
            return app

        async with self._composing:  # plugins must load one at a time
            return await asyncio.to_thread(compose)

    def _with_editor(self, root: str, composed: Any) -> inarch.Replacements:
        """Return the replacements with the profile's workspace as the editor has it."""
        named = host.load_config(root, profile=self.profile, flags=self.flags).profile.workspace
        if (bound := composed.workspaces.get(named)) is None:
            return inarch.Replacements()  # using the workspace reports it
        files: Any = EditorFiles(bound.value.open(root), self._services, self.connection.send_request, self._loop)
        return inarch.Replacements(workspace=files)

    def _talk(self, session_id: str) -> Talk:
        talk = self._talks.get(session_id)
        if talk is None:
            raise _not_found(session_id, f"no session {session_id!r} is open")
        return talk

    def _send(self, session_id: str, update: Update) -> None:
        self.wire.put(notification(session_id, update))


def _not_found(session_id: str, why: str) -> RequestError:
    return RequestError(NOT_FOUND, plain(why), {"sessionId": plain(session_id)})


def _checked(cwd: str) -> str:
    if not os.path.isabs(cwd) or "\0" in cwd:  # noqa: PTH117 - the client's text, not yet a path
        raise inarch.UsageError(f"{cwd!r} is no absolute path", "send the folder's absolute path as cwd")
    return os.path.realpath(cwd)


_Handler = Callable[[Server, Any], Awaitable[BaseModel | None]]
_METHODS: dict[str, tuple[type[BaseModel], _Handler]] = {
    "initialize": (schema.InitializeRequest, Server._initialize),
    "authenticate": (schema.AuthenticateRequest, Server._authenticate),
    "session/new": (schema.NewSessionRequest, Server._new),
    "session/load": (schema.LoadSessionRequest, Server._load),
    "session/resume": (schema.ResumeSessionRequest, Server._resume),
    "session/list": (schema.ListSessionsRequest, Server._list),
    "session/prompt": (schema.PromptRequest, Server._prompt),
    "session/inject": (InjectRequest, Server._inject),
    "session/revoke_inject": (RevokeRequest, Server._revoke_inject),
    "session/close": (schema.CloseSessionRequest, Server._close_session),
    "session/set_mode": (schema.SetSessionModeRequest, Server._set_mode),
    "session/set_config_option": (schema.SetSessionConfigOptionSelectRequest, Server._set_option),
}
