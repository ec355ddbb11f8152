"""Line-by-line conversation: on a terminal that cannot be rewritten, with another front end, or from a pipe."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define

from inarch import StoreError, UsageError, escape
from inarch_plugins.terminal.abilities import has_unread
from inarch_plugins.terminal.first_screen import place_line, recap, session_lines, way_back

if TYPE_CHECKING:
    from inarch import Launch
    from inarch_plugins.terminal.slash.talk import Talk

T = TypeVar("T")
MOST_BYTES = 256 * 1024
"""Longest line read from a pipe, in bytes; the same limit applies to standard input elsewhere."""


def plain(launch: Launch) -> int:
    """Run a conversation line by line."""
    from inarch.output import columns_of

    def talk_to_person(runner: asyncio.Runner, talk: Talk, leaving: _Leaving) -> int:
        lines = [place_line(launch.root, columns_of(sys.stderr)), *session_lines(talk.app, keys="/approve MODE")]
        sys.stderr.writelines(f"{escape(line, keep_newlines=False)}\n" for line in lines)
        if before := recap(talk.session, columns_of(sys.stdout)):
            sys.stderr.write(f"{before}\n")
        code = _converse(runner, talk, leaving)
        if back := way_back(talk):
            sys.stderr.write(f"{back}\n")
        return code

    return _composed(launch, talk_to_person)


def piped(launch: Launch) -> int:
    """Run each line of standard input as a prompt or a command, and return the first exit code that is not 0."""
    lines = _lines() if sys.stdin is not None else iter(())
    try:
        first = next(lines, None)
    except OSError as error:
        raise UsageError(f"standard input can't be read: {error.strerror or error}") from None
    if first is None:
        raise UsageError(
            "a conversation needs a terminal, or a pipe with one prompt per line",
            'ask one question with inarch "…" or inarch ask',
        )
    return _composed(launch, lambda runner, talk, leaving: _follow(runner, talk, leaving, chain([first], lines)))


def _composed(launch: Launch, talking: Callable[[asyncio.Runner, Talk, _Leaving], int]) -> int:
    from inarch.output import columns_of
    from inarch_plugins.terminal.slash.talk import Talk

    app = launch.compose()
    talk: Talk | None = None
    with asyncio.Runner() as runner:
        try:
            talk = Talk(app, launch.session(app), launch, sys.stdout.write, lambda: columns_of(sys.stdout))
            with _leaving() as leaving:
                return talking(runner, talk, leaving)
        finally:
            if app.front_end is not None:
                app.front_end.close()
            runner.run((talk.app if talk is not None else app).aclose())


class _Leave(BaseException):
    """Raised by a signal that ends the program while it waits for a line."""


@define
class _Leaving:
    """State of a requested end: whether a signal came, and whether the program waits for a line and can end at once."""

    is_asked: bool = False
    at_prompt: bool = False

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Mark the program as waiting for a line."""
        self.at_prompt = True
        try:
            yield
        finally:
            self.at_prompt = False


@contextmanager
def _leaving() -> Iterator[_Leaving]:
    """Handle the signals that ask a program to end, such as a closed terminal."""
    from inarch.commands import interrupts

    leaving = _Leaving()

    def ask(number: int) -> None:
        leaving.is_asked = True
        if leaving.at_prompt:
            raise _Leave

    with interrupts(ask, ask, ("SIGTERM", "SIGHUP")):
        yield leaving


def _lines() -> Iterator[str]:
    """Yield the lines of standard input that are not empty, each as soon as it arrives."""
    from inarch.commands import say

    stream = sys.stdin.buffer
    while data := stream.readline(MOST_BYTES):
        if len(data) == MOST_BYTES and not data.endswith(b"\n") and (rest := stream.readline(MOST_BYTES)):
            say("note", f"a line of standard input was cut after {MOST_BYTES // 1024} kB")
            while rest and not rest.endswith(b"\n"):
                rest = stream.readline(MOST_BYTES)
        if line := data.decode("utf-8", "replace").strip():
            yield line


def _follow(runner: asyncio.Runner, talk: Talk, leaving: _Leaving, lines: Iterator[str]) -> int:
    """Run lines from a pipe; the end of input or a cancelled turn ends the conversation."""
    from inarch.commands import CANCELLED, FAILED, USAGE, say

    code = 0
    while not talk.is_over and not leaving.is_asked:
        try:
            with leaving.waiting():
                line = next(lines, None)
        except _Leave:
            break
        if line is None:
            return code
        try:
            if line.startswith("!"):
                raise UsageError("commands after ! work only at a terminal", "run the command yourself")
            done = _do(runner, talk, line)
        except (StoreError, UsageError) as error:
            say("error", str(error))
            done = FAILED if isinstance(error, StoreError) else USAGE
        if done == CANCELLED:
            return done
        code = code or done
    return CANCELLED if leaving.is_asked else code


def _converse(runner: asyncio.Runner, talk: Talk, leaving: _Leaving) -> int:
    """Read lines until the end of input; a failed turn does not end the conversation."""
    from inarch.commands import CANCELLED, say

    try:
        import readline  # noqa: F401  # input() then has line editing and a history
    except ImportError:
        pass
    while not leaving.is_asked:
        try:
            was_there = has_unread()  # the lines of a paste are there before input is requested
            with leaving.waiting():
                line = input("\n> ").strip()
        except _Leave:
            break
        except EOFError:
            sys.stderr.write("\n")
            return 0
        except KeyboardInterrupt:
            sys.stderr.write("\n(Ctrl-D leaves)")
            continue
        try:
            _do(runner, talk, line, is_typed=not (was_there or has_unread()))
        except (StoreError, UsageError) as error:
            say("error", str(error))
        if talk.is_over:
            return 0
    return CANCELLED


def _do(runner: asyncio.Runner, talk: Talk, line: str, *, is_typed: bool = False) -> int:
    """Run a command, or a prompt and the prompts that a command adds; return the first exit code that is not 0."""
    from inarch_plugins.terminal.slash.talk import SlashCommands
    from inarch_plugins.terminal.slash.views import short_help
    from inarch_plugins.terminal.user_commands import run_command

    code = 0
    if line == "?":
        sys.stdout.write(f"{short_help(talk.columns())}\n")
    elif SlashCommands.takes(line):
        code = runner.run(_interruptible(SlashCommands(talk).run(line)))
    elif line.startswith("!"):
        runner.run(_interruptible(run_command(talk.session, line[1:].strip(), talk.write, is_typed=is_typed)))
    elif line:
        code = runner.run(talk.launch.run(talk.session, line))
    sys.stdout.flush()
    while talk.next_prompts:
        done = runner.run(talk.launch.run(talk.session, talk.next_prompts.pop(0)))
        code = code or done
    return code


async def _interruptible(doing: Coroutine[Any, Any, T]) -> T:
    """Await a coroutine that Ctrl-C cancels."""
    from inarch.commands import interrupts

    loop = asyncio.get_running_loop()
    task = loop.create_task(doing)
    with interrupts(lambda _: loop.call_soon_threadsafe(task.cancel)):
        return await task
