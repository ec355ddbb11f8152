"""One session of an editor: its application, its turns and the updates about them."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Sequence
from itertools import islice
from typing import Any

from acp import RequestError, schema
from attrs import define, field

import inarch
from inarch.capabilities import Scans, able
from inarch_acp.editor_commands import (
    available_commands,
    check_model,
    choices,
    config_options,
    modes,
    of_plugins,
    refusal,
    run_command,
)
from inarch_acp.editor_files import EditorFiles
from inarch_acp.front_end import Asking, Request
from inarch_acp.prompts import Prompt, has_pictures, put_pictures
from inarch_acp.servers import Asked, Consent
from inarch_acp.updates import Spending, Update, Updates, agent_chunk, prompt_response
from inarch_acp.wire import as_json, plain

Send = Callable[[str, Update], None]
Compose = Callable[[Sequence[Asked]], Awaitable[inarch.App]]
_PAGE = 200
"""Events of a stored session that are read at once."""
_NO_PICTURES = "the pictures were left out: the plugin acp is not in the profile of this folder, or isolated"


@define(eq=False)
class Talk:
    """A session of an editor, which answers one prompt at a time."""

    app: inarch.App
    send: Send
    request: Request
    models: tuple[str, ...] = ()
    reads_only: bool = False
    compose: Compose | None = None
    consent: Consent = field(factory=Consent)
    wanted: Sequence[Asked] = ()
    mode: str = field(init=False)
    model: str = field(init=False)
    session: inarch.Session = field(init=False)
    _front_end: Asking = field(init=False)
    _updates: Updates = field(init=False)
    _files: EditorFiles | None = field(init=False, default=None)
    _happened: asyncio.Queue[inarch.Event | asyncio.Future[None]] = field(init=False, factory=asyncio.Queue)
    _loop: asyncio.AbstractEventLoop = field(init=False, factory=asyncio.get_running_loop)
    _passing: asyncio.Task[None] | None = field(init=False, default=None)
    _turn: asyncio.Task[schema.PromptResponse] | None = field(init=False, default=None)
    _titled: bool = field(init=False, default=False)
    _spending: Spending = field(init=False, factory=Spending)

    def __attrs_post_init__(self) -> None:
        profile = self.app.config.profile
        self.mode, self.model = profile.approve, profile.model
        self._front_end = Asking(self._saw, self.request, self._settle, self.app.config.root)
        self.app.front_end = self._front_end

    @property
    def id(self) -> str:
        """Return the session's id."""
        return self.session.id

    @property
    def is_busy(self) -> bool:
        """Return whether a prompt is being answered."""
        return self._turn is not None

    def open(self, session_id: str | None) -> None:
        """Open a new session or a stored one.

        Raises:
            InarchError: No session has this id, or it can't be opened.
        """
        self.session = self.app.session(session_id)
        self._front_end.session_id = self.id
        self._serve_files()
        self._updates = self._new_updates()
        if session_id is not None:
            self._spending = Spending.of(self.app.transcript(session_id).spent())

    def keep(self) -> None:
        """Store a session that has no prompt yet, so that another process can load it.

        Raises:
            StoreError: The journal is required and can't be written.
        """
        self.session.state.journal.flush()

    def remark(self, text: str) -> None:
        """Show a note to the user with the session's next update."""
        data = {"text": text, "source": "acp"}
        self._saw(inarch.Event(0, inarch.utc_now(), self.id, None, "note", data))

    async def replay(self) -> None:
        """Send the session's conversation so far."""
        recorded = self._new_updates(replays=True)
        scans = able(self.app.store, Scans)
        events = iter(scans.scan(self.id) if scans is not None else self.app.store.load(self.id))
        while page := await asyncio.to_thread(list, islice(events, _PAGE)):
            for event in page:
                async for update in recorded.of(event):
                    self._send(update)
        for update in recorded.cut_off():
            self._send(update)
        self._titled = True
        await self._settle()
        await self._look_at_window()
        self._tell_usage()

    async def prompt(self, prompt: Prompt) -> schema.PromptResponse:
        """Answer a prompt.

        Raises:
            RequestError: Another prompt is being answered, or the turn failed.
            InarchError: The prompt or the configuration can't be used.
        """
        if self._turn is not None:
            raise RequestError(-32600, "a prompt is being answered in this session: cancel it, or wait for its end")
        self._listen()
        turn = self._turn = asyncio.create_task(self._answer(prompt))
        try:
            await asyncio.wait([turn])
        except asyncio.CancelledError:  # the connection is over
            await self.cancel()
            raise
        finally:
            self._turn = None
        await self._settle()
        if turn.cancelled():
            return schema.PromptResponse(stop_reason="cancelled")
        return turn.result()

    def inject(self, prompt: Prompt) -> str:
        """Inject text before the next request, and return the id that revokes it.

        Raises:
            RequestError: No prompt is being answered.
            InarchError: The text can't be used or stored.
        """
        if self._turn is None:
            raise RequestError(-32600, "no prompt is being answered in this session: send the words as a prompt")
        if prompt.images:
            raise inarch.UsageError("a picture can't be injected", "send it with the next prompt")
        return self.session.say(prompt.text).id

    async def cancel(self) -> None:
        """Cancel the running prompt, if any, and wait for its end."""
        if (turn := self._turn) is not None:
            turn.cancel()
            await asyncio.wait([turn])

    def choose_mode(self, mode: str) -> None:
        """Set the approval mode.

        Raises:
            UsageError: There is no such mode, or `--approve` rules it out.
        """
        offered = choices(self.reads_only, self.mode)
        if mode not in offered:
            beside = " beside --approve none" if self.reads_only else ""
            raise inarch.UsageError(f"there is no mode {mode!r}{beside}", f"one of {', '.join(offered)}")
        self.session.set_approve(mode)
        self.mode = mode
        self._send(schema.CurrentModeUpdate(session_update="current_mode_update", current_mode_id=mode))

    async def choose_model(self, model: str) -> None:
        """Switch to another model from the next prompt on.

        Raises:
            UsageError: The model is not offered.
            ConfigError: No plugin provides it.
            RequestError: Its key is missing.
        """
        offered = {self.model, self.app.config.profile.model, *self.models}
        if model not in offered:
            raise inarch.UsageError(f"{model!r} is not offered", "add it to `models` of [plugins.acp]")
        await asyncio.to_thread(check_model, self.app, model)
        await self.session.set_model(model)
        self.model = model

    @property
    def modes(self) -> schema.SessionModeState:
        """Return the modes and the current one."""
        return modes(self.mode, choices(self.reads_only, self.mode))

    @property
    def options(self) -> Any:
        """Return mode and model as the session's options."""
        return config_options(
            self.mode, choices(self.reads_only, self.mode), self.model, [self.app.config.profile.model, *self.models]
        )

    async def close(self) -> None:
        """Cancel the running prompt and close the application."""
        await self.cancel()
        put_pictures(self.id, ())
        if self._passing is not None:
            self._passing.cancel()
        await self.app.aclose()

    async def _answer(self, prompt: Prompt) -> schema.PromptResponse:
        """Answer a prompt, then text that was injected after its last request."""
        await self._widen()
        response = await self._answer_prompt(prompt)
        while any(not one.by for one in self.session.waiting):
            response = await self._run("")
        return response

    async def _widen(self) -> None:
        """Ask once about the editor's servers and folders, and recompose with the approved ones."""
        wanted, self.wanted = self.wanted, ()
        if not wanted or self.compose is None:
            return
        if not await asyncio.to_thread(lambda: self.session.is_kept):
            self.remark("the editor's MCP servers and folders are not used: this session is not stored")
            return
        agreed = await self.consent.ask(wanted, self._front_end.choose, self._send)
        if not agreed:
            return
        try:
            app = await self.compose(agreed)
        except inarch.InarchError as error:  # opening the workspace checks the folders
            self.remark(f"no folder is added: {error}")
            agreed = [one for one in agreed if one.given is not None]
            if not agreed:
                return
            app = await self.compose(agreed)
        for one in agreed:
            app.redactor.learn(one.variables)
            app.redactor.learn_values(one.secrets)
        news = [note for note in app.ignored if note not in self.app.ignored]
        await self.app.aclose()
        self.app = app
        app.front_end = self._front_end
        self.session = await asyncio.to_thread(app.session, self.id)
        self._serve_files()
        self._updates = self._new_updates()
        for note in news:
            self.remark(note)
        if self.mode != app.config.profile.approve:
            self.session.set_approve(self.mode)
        if self.model != app.config.profile.model:
            await self.session.set_model(self.model)
        self._send(available_commands(app))

    async def _answer_prompt(self, prompt: Prompt) -> schema.PromptResponse:
        said = await run_command(self.session, prompt.text, changes_files=not self.reads_only)
        if said is not None:
            self._send(agent_chunk(said, inarch.new_id()))
            return schema.PromptResponse(stop_reason="end_turn")
        name, _ = inarch.split_slash_command(prompt.text) or ("", "")
        if name not in of_plugins(self.app):
            return await self._run(prompt.text, prompt.images)
        response = schema.PromptResponse(stop_reason="end_turn")
        for text in await self.app.command(self.session, prompt.text, self._tell):
            response = await self._run(text)
        return response

    def _tell(self, text: str) -> None:
        """Send a command's output, from any thread."""
        self._loop.call_soon_threadsafe(self._send, agent_chunk(f"{plain(text)}\n\n", inarch.new_id()))

    async def _run(self, text: str, images: Sequence[inarch.Image] = ()) -> schema.PromptResponse:
        await asyncio.to_thread(check_model, self.app, self.model)
        if self._files is not None:
            self._files.prompted(text)
        put_pictures(self.id, images)
        await self._look_at_window()
        turn = await self.session.run(text)
        await self._settle()
        if has_pictures(self.id):
            put_pictures(self.id, ())
            self._send(agent_chunk(f"> {_NO_PICTURES}\n\n", inarch.new_id()))
        self._tell_title(text)
        await self._look_at_window()
        self._tell_usage()
        return self._response(turn)

    def _response(self, turn: inarch.Turn) -> schema.PromptResponse:
        is_filtered = turn.status == "failed" and self._updates.failure == "filtered"
        if is_filtered and turn.error:
            self._send(agent_chunk(f"> {plain(turn.error)}\n\n", inarch.new_id()))
        elif turn.status == "failed":
            why = plain(turn.error or "the turn failed")
            raise refusal(why) if self._updates.failure == "auth" else RequestError(-32603, why)
        return prompt_response(turn, self._updates, self._spending)

    def _tell_title(self, text: str) -> None:
        if not self._titled:
            self._titled = True
            title = " ".join(text.split())[:80]
            self._send(schema.SessionInfoUpdate(session_update="session_info_update", title=plain(title)))

    async def _look_at_window(self) -> None:
        try:
            view = await asyncio.to_thread(self.session.context)
        except inarch.InarchError:
            return  # the window's size is not worth an error; a prompt reports its own
        self._spending.used, self._spending.window = view.tokens, view.window or 0

    def _tell_usage(self) -> None:
        if (update := self._spending.update) is not None:
            self._send(update)

    def _new_updates(self, *, replays: bool = False) -> Updates:
        tracers = frozenset(bound.value.name for bound in self.app.composition.tracers)
        return Updates(self.app.config.root, self._tool, self._blob, tracers, replays)

    def _tool(self, name: str) -> inarch.Tool | None:
        bound = self.app.composition.tools.get(name)
        return bound.value if bound is not None else None

    def _blob(self, ref: str) -> bytes:
        try:
            return self.app.store.get_blob(self.id, ref)
        except inarch.StoreError as error:
            sys.stderr.write(f"inarch acp: {inarch.escape(str(error))}\n")
            return b"\xff"  # not text: reported as a change that can't be shown

    def _send(self, update: Update) -> None:
        self.send(self.id, update)

    def _serve_files(self) -> None:
        files: Any = self.app.workspace
        self._files = files if isinstance(files, EditorFiles) else None
        if self._files is not None:
            self._files.session_id, self._files.remark = self.id, self.remark

    def _saw(self, event: inarch.Event) -> None:
        """Queue an event, from any thread."""
        if self._files is not None:
            self._files.saw(event)
        try:
            self._loop.call_soon_threadsafe(self._happened.put_nowait, event)
        except RuntimeError:
            pass  # the loop is closed, so the event has no reader

    async def _settle(self) -> None:
        """Wait until every event so far was sent."""
        passing = self._listen()
        reached: asyncio.Future[None] = self._loop.create_future()
        self._loop.call_soon_threadsafe(self._happened.put_nowait, reached)
        await asyncio.wait([reached, passing], return_when=asyncio.FIRST_COMPLETED)
        if passing.done() and not passing.cancelled():
            passing.result()

    def _listen(self) -> asyncio.Task[None]:
        """Start sending events, which must wait until the editor knows the session's id."""
        if self._passing is None:
            self._passing = asyncio.create_task(self._pass_on())
        return self._passing

    async def _pass_on(self) -> None:
        while True:
            item = await self._happened.get()
            if isinstance(item, asyncio.Future):
                if not item.done():
                    item.set_result(None)
                continue
            async for update in self._updates.of(item):
                self._send(update)
            if self._spending.saw(item):
                self._tell_usage()
            if item.kind in ("calls.done", "command.ran"):
                self._tell_mode()

    def _tell_mode(self) -> None:
        """Send the mode to the editor if an approved plan or a command has changed it."""
        if self.session.approve != self.mode:
            self.mode = self.session.approve
            self._send(schema.CurrentModeUpdate(session_update="current_mode_update", current_mode_id=self.mode))


def notification(session_id: str, update: Update) -> dict[str, Any]:
    """Return an update as a message."""
    params = schema.SessionNotification(session_id=session_id, update=update)
    return {"jsonrpc": "2.0", "method": "session/update", "params": as_json(params)}
