"""Conversation on a terminal: sends typed lines to a session and shows its events until the user leaves."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import partial
from typing import TYPE_CHECKING, Any

from prompt_toolkit.document import Document

from inarch import InarchError, escape
from inarch.commands import ANSWERED, say
from inarch_plugins.terminal.abilities import has_colours
from inarch_plugins.terminal.conversation.appearance import restyle, set_style, told_to_script
from inarch_plugins.terminal.conversation.call_question import ApprovalKeys
from inarch_plugins.terminal.conversation.companions import Beside, Companion
from inarch_plugins.terminal.conversation.key_bindings import make_keys
from inarch_plugins.terminal.conversation.line_completion import LineCompleter, hint, open_list, picking
from inarch_plugins.terminal.conversation.line_history import KeptHistory
from inarch_plugins.terminal.conversation.pastes import Pastes
from inarch_plugins.terminal.conversation.prompt_queue import ON, Line, Steering, Work
from inarch_plugins.terminal.conversation.screen import TICK_S, Screen
from inarch_plugins.terminal.conversation.status_command import StatusCommand
from inarch_plugins.terminal.conversation.streams import Above, folded, folded_lines
from inarch_plugins.terminal.conversation.terminal_io import signals
from inarch_plugins.terminal.first_screen import place_line, recap, way_back
from inarch_plugins.terminal.notifications import TURN_ENDED, Notifier
from inarch_plugins.terminal.pasted_pictures import SIGN
from inarch_plugins.terminal.rendering.colors import CODES
from inarch_plugins.terminal.slash.talk import SlashCommands, Talk

if TYPE_CHECKING:
    from inarch import Launch


def converse(launch: Launch) -> int:
    """Run the conversation until the user leaves, and return the exit code."""
    chat = Chat(launch)
    place = place_line(launch.root, chat.screen.columns)
    sys.stdout.write(f"\x1b[1m{place}\x1b[0m\n" if chat.colours else f"{place}\n")
    sys.stdout.flush()
    with asyncio.Runner() as runner:
        code = runner.run(chat.run())
    if chat.way_back:
        sys.stdout.write(f"\n{folded(chat.way_back, chat.screen.columns)}\n")
    return code


class Chat:
    """One conversation at a terminal."""

    def __init__(self, launch: Launch) -> None:
        self.launch = launch
        self.companion: Companion | None = getattr(launch, "companion", None)
        self.colours = has_colours(sys.stdout, no_color=launch.options.no_color)
        self.pastes = Pastes()
        self.history = KeptHistory(launch.root, lambda: launch.state_dir, self.pastes.unfold)
        self.completer = LineCompleter()
        self.screen = Screen(
            sys.stdout, colours=self.colours, keys=make_keys(self), history=self.history, completer=self.completer
        )
        self.work = Work(self._do, self.screen.changed)
        self.notifier = Notifier(self._sign)
        self.asking = ApprovalKeys(self.screen, self.colours, self.notifier)
        self.steering = Steering(lambda: self.talk.session if self.talk is not None else None, self.screen.changed)
        self.screen.queued = self._queued
        self.screen.asked = lambda: self.asking.keys
        self.screen.paged = lambda: self.asking.pager
        self.screen.standing = self._standing_hint
        if self.companion is not None:
            self.screen.beside = self.companion.status
        self.screen.app.key_processor.before_key_press += lambda _: self._key_comes()
        self.talk: Talk | None = None
        self.script = StatusCommand("", partial(told_to_script, self), self.screen.changed)
        self.screen.status = lambda: self.script.line
        self._beside: set[asyncio.Task[None]] = set()
        self._accompanied: asyncio.Task[None] | None = None
        self._looking: asyncio.Task[None] | None = None
        self.is_leaving, self.way_back, self.accent = False, "", CODES["cyan"]
        self._over: asyncio.Future[int]
        self._ready: asyncio.Future[Talk]

    async def run(self) -> int:
        """Show the input line, compose the application in the background, and run typed lines until the user leaves."""
        loop = asyncio.get_running_loop()
        self._over, self._ready, self.screen.loop = loop.create_future(), loop.create_future(), loop
        drawn = asyncio.Event()
        self.screen.app.after_render += lambda _: drawn.set()
        with signals(self, loop), self._streams():
            shown = loop.create_task(self.screen.app.run_async(handle_sigint=False, set_exception_handler=False))
            shown.add_done_callback(self._ended)
            await asyncio.wait([loop.create_task(drawn.wait()), shown], return_when=asyncio.FIRST_COMPLETED)
            composed = loop.create_task(self._compose())
            working = loop.create_task(self._work())
            for task in (composed, working):
                task.add_done_callback(self._failed)
            try:
                return await self._over
            finally:
                await self._close(working, composed, shown)

    def send(self) -> None:
        """Send the line. It runs now or after the current work; a command that only shows something runs beside it."""
        line = self.screen.line
        text = line.text.strip()
        if not text:
            line.reset()
            self._go_on()
            return
        line.append_to_history()
        line.reset()
        item = Line(text, self.pastes.unfold(text).strip())
        is_idle = self.talk is not None and not self.work.is_running and not self.work.waiting
        if is_idle and self.talk is not None and picking(self.talk, text):
            self._do_beside(self._pick(self.talk, item))
        elif self.talk is not None and self.work.is_running and SlashCommands(self.talk).runs_at_once(item.shown):
            self._do_beside(self._show_beside(self.talk, item))
        elif item.shown.startswith(("/", "!")) or SIGN in item.shown or not self.steering.add(item):
            self.work.add(item)

    def leave_list(self) -> None:
        """Close the list of completions; if a command was chosen from it, clear the line, too."""
        line = self.screen.line
        line.cancel_completion()
        if self.talk is not None and picking(self.talk, line.text):
            line.reset()

    def take_back(self) -> None:
        """Put the last queued line back into the input."""
        line = self.steering.take_back() or self.work.take_back()
        if line is not None:
            self.screen.line.document = Document(line.shown)

    def wake(self) -> None:
        """Start a turn for messages of plugins if nothing else is running or waiting."""
        if self.talk is not None and not (self.work.is_running or self.steering.waiting):
            self.work.add_first(ON)

    def cancel(self) -> None:
        """Cancel the current work."""
        self.work.cancel()
        if self.companion is not None:
            self.companion.cancelled()

    def interrupt(self, was_running: bool | None = None) -> None:
        """Handle Ctrl-C: cancel the work, else leave a search or clear the line, else show how to leave."""
        if self.companion is not None:
            self.companion.cancelled()
        if self.work.is_running if was_running is None else was_running:
            self.work.cancel()
        elif self.screen.app.layout.is_searching:
            self.screen.leave_search()
        elif self.screen.line.text:
            self.screen.line.reset()
        else:
            self.screen.hint = "Ctrl-D leaves"
        self.screen.changed()

    def leave(self, code: int = ANSWERED) -> None:
        """End the conversation, and cancel the current work cleanly."""
        if not self._over.done():
            self._over.set_result(code)

    def fold(self) -> None:
        """Show reasoning and all calls unfolded, also the folded calls of this turn; or fold again."""
        view = self.screen.view
        if view is not None:
            view.unfold(not view.is_unfolded)
            self.screen.hint = f"reasoning and many calls are {'shown' if view.is_unfolded else 'folded'}"
            self.screen.put("")

    async def _compose(self) -> None:
        from inarch_plugins.terminal.conversation.chat_start import ScreenFrontEnd, compose_talk, model_of

        loop = asyncio.get_running_loop()
        front_end = ScreenFrontEnd(
            self.screen,
            self.asking,
            lambda: loop.call_soon_threadsafe(self.wake),
            lambda: loop.call_soon_threadsafe(self.script.wake),
        )
        talk, said = await asyncio.to_thread(compose_talk, self.launch, front_end)
        talk.write, talk.columns, talk.switched = self.screen.put, lambda: self.screen.columns, self.switched
        self.talk, talk.send, talk.restyled = talk, self._sign, partial(restyle, self)
        set_style(self)
        self._show_session(await asyncio.to_thread(model_of, talk))
        self.history.hide_with(talk.session.state.journal.redactor.text)
        before = recap(talk.session, self.screen.columns).splitlines()
        self.screen.put("".join(map(self._dim, (*said, *before))))
        self._ready.set_result(talk)
        self.script.command = talk.settings.status_command  # from now on, there is a view
        self.script.wake()
        if self.companion is not None:
            self._accompanied = loop.create_task(self.companion.run(Beside(self)))
            self._accompanied.add_done_callback(self._failed)

    def switched(self) -> None:
        """Show another session, or the same one after a new composition."""
        from inarch_plugins.terminal.conversation.chat_start import model_of

        assert self.talk is not None
        self._show_session(model_of(self.talk))

    def _show_session(self, model: str) -> None:
        from inarch_plugins.terminal.conversation.chat_start import new_view

        assert self.talk is not None
        self.screen.settle()
        unfolded = self.screen.view is not None and self.screen.view.is_unfolded
        self.screen.view = new_view(self.talk, model, colours=self.colours, stream=self.screen.output.stdout)
        self.screen.view.unfold(unfolded)
        self.completer.ready(self.talk, asyncio.get_running_loop())
        self.screen.changed()

    async def _work(self) -> None:
        """Run typed lines once the application is ready; until then they are queued."""
        await asyncio.shield(self._ready)
        await self.work.run()

    async def _do(self, line: Line) -> None:
        """Run a line: a command, or a prompt and the prompts that a command adds."""
        if line is not ON:
            self._echo(line.shown)
        ticking = asyncio.get_running_loop().create_task(self._tick())
        try:
            talk, ran = self.talk, True
            assert talk is not None
            if line is ON:
                pass
            elif line.around is not None:
                with line.around():
                    ran = await self._turn(talk, line.whole, steers=False)
            elif SlashCommands.takes(line.shown):  # a pasted text that begins with / or ! is a prompt
                await SlashCommands(talk).run(line.whole)
            elif line.shown.startswith("!") and line.shown == line.whole and "\n" not in line.whole:
                from inarch_plugins.terminal.user_commands import run_command

                await run_command(talk.session, line.whole[1:].strip(), talk.write, is_typed=True)
            else:
                ran = await self._turn(talk, line.whole)
            while talk.next_prompts or (ran and self.steering.has_more):
                prompt = "" if ran and self.steering.has_more else talk.next_prompts.pop(0)
                self._echo(prompt or self.steering.words())
                ran = await self._turn(talk, prompt)
            if talk.is_over:
                self.leave()
        finally:
            ticking.cancel()
            self.completer.forget_paths()

    async def _turn(self, talk: Talk, prompt: str, *, steers: bool = True) -> bool:
        """Run a turn, and return whether it ran. Typed lines go into it, unless `steers` is off."""
        from inarch_plugins.terminal.conversation.chat_start import look_at_models

        self.steering.in_turn = steers
        try:
            await talk.session.run(prompt)
            self.notifier.tell(TURN_ENDED)
            self._looking = self._do_beside(look_at_models(talk))
            return True
        except InarchError as error:  # store errors or a missing model; errors of the turn itself are in its record
            if self.screen.view is not None:
                self.screen.settle()  # the view then has all events
                self.screen.view.give_up()
            say("error", str(error))
            return False
        finally:
            self.steering.in_turn = False

    def _go_on(self) -> None:
        """Run messages sent during the turn after it; without a running turn, run the queue."""
        if self.work.is_running:
            self.work.put_first(self.steering.after())
        elif self.steering.has_more:
            self.work.add_first(ON)
        else:
            self.work.go_on()

    def _queued(self) -> list[str]:
        said = [f"goes in: {line.shown}" for _, line in self.steering.waiting]
        return [*said, *(f"queued: {line.shown}" for line in self.work.waiting)]

    def _do_beside(self, doing: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(doing)
        self._beside.add(task)
        task.add_done_callback(self._beside.discard)
        task.add_done_callback(self._failed)
        return task

    async def _pick(self, talk: Talk, line: Line) -> None:
        """Show the possible arguments of a command; run it as typed if there are none."""
        if not await open_list(talk, line.shown, self.screen):
            self.work.add(line)

    async def _show_beside(self, talk: Talk, line: Line) -> None:
        """Run a command that only shows something, beside the current work."""
        self._echo(line.shown)
        await SlashCommands(talk).run(line.whole)
        if talk.is_over:
            self.leave()

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK_S)
            if self.screen.view is not None and self.screen.view.is_moving:
                self.screen.changed()

    def _echo(self, text: str) -> None:
        first, *rest = folded_lines(escape(text), self.screen.columns - 2)
        lead = f"\x1b[1;{self.accent}m>\x1b[0m " if self.colours else "> "
        self.screen.put("\n" + "\n".join([lead + first, *(f"  {line}" for line in rest)]) + "\n")

    def _dim(self, text: str) -> str:
        line = folded(escape(text, keep_newlines=False), self.screen.columns)
        return f"\x1b[2m{line}\x1b[0m\n" if self.colours else f"{line}\n"

    def _standing_hint(self) -> str:
        state, talk = self.screen.line.complete_state, self.talk
        if state is not None and talk is not None and (command := picking(talk, state.original_document.text)):
            return hint(command)
        if (self.work.is_held or self.steering.has_more) and not self.work.is_running:
            return "Enter sends what is queued; Up takes it back"
        return ""

    def _sign(self, text: str) -> None:
        self.screen.output.write_raw(text)
        self.screen.output.flush()

    def _key_comes(self) -> None:
        self.notifier.looked()
        self.asking.saw_key()
        self.screen.hint = ""

    def _ended(self, task: asyncio.Task[None]) -> None:
        """End the conversation with the display: the terminal is gone, or drawing failed."""
        if task.cancelled() or isinstance(task.exception(), EOFError | None):
            self.leave()
        else:
            self._failed(task)

    def _failed(self, task: asyncio.Task[None]) -> None:
        error = None if task.cancelled() else task.exception()
        if error is not None and not self._over.done():
            self._over.set_exception(error)

    async def _close(
        self, working: asyncio.Task[None], composed: asyncio.Task[None], shown: asyncio.Task[None]
    ) -> None:
        """Shut down in order: the turn, the display, the application."""
        self.is_leaving = True
        for task in filter(None, (working, self._looking, self.script.running)):
            task.cancel()
        await asyncio.wait([working, composed, *self._beside])
        if self._accompanied is not None:
            self._accompanied.cancel()
            await asyncio.wait([self._accompanied])
        try:
            self.screen.settle()
            over = self.screen.app.future
            if over is not None and not over.done():  # the end of input stops the display itself
                self.screen.app.exit()
            await asyncio.wait([shown])
            self._sign(self.screen.rest())
        finally:  # if the terminal is gone, skip the last draw; the session is stored all the same
            if self.talk is not None:
                try:
                    self.talk.keep()
                    self.way_back = way_back(self.talk)
                finally:
                    await self.talk.app.aclose()

    @contextmanager
    def _streams(self) -> Iterator[None]:
        """Print the output of other code above the display."""
        above = Above(self.screen.put, lambda: self.screen.columns, colours=self.colours)
        with redirect_stdout(above), redirect_stderr(above):
            try:
                yield
            finally:
                above.end()
        sys.stderr.write(self.screen.rest())
