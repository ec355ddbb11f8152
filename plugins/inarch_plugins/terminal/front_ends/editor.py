"""Editing of a call in the user's editor, as its file or its arguments; the terminal is restored afterwards."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import shutil
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, TextIO

from inarch import ApprovalRequest, ProposedFile, ToolCall, escape, escape_json
from inarch.commands import interrupts

LARGEST_BYTES = 4_000_000
_GRACE_S = 1.0
_LONGEST_NAME = 200  # bytes; editors append suffixes for their own files


class _NotEdited(Exception):
    """There are no changed arguments; the message gives the reason."""


async def edit(
    request: ApprovalRequest, drafts: dict[str, str], err: TextIO, *, arguments: bool = False
) -> dict[str, Any] | None:
    """Let the user edit a call. Return its changed arguments, or print why there are none and return None."""
    call, file = request.call, request.file
    try:
        if file is not None and not arguments and call.id not in drafts:
            changed = await _file_edited(call, file, err)
        else:
            changed = await _arguments_edited(call, drafts, err)
        if changed == call.arguments:
            raise _NotEdited("nothing was changed")
    except _NotEdited as error:
        err.write(escape(f"Not changed: {error}.\n"))
        return None
    return changed


async def _file_edited(call: ToolCall, file: ProposedFile, err: TextIO) -> dict[str, Any]:
    name = file.path.rstrip("/").rpartition("/")[2]  # the editor recognizes the file type by it
    fits = name not in ("", ".", "..") and name.isprintable() and len(os.fsencode(name)) <= _LONGEST_NAME
    text = await _edited(file.after, name if fits else "proposed.txt", err)
    if text in (file.after, f"{file.after}\n"):  # editors add a newline at the end, even without a change
        raise _NotEdited("nothing was changed")
    if text == file.before:
        raise _NotEdited(f"this leaves {file.path} unchanged; d denies the call")
    changed = file.rewritten(call.arguments, text)
    if changed is None:
        raise _NotEdited(f"{call.name} cannot make this change to {file.path}")
    return changed


async def _arguments_edited(call: ToolCall, drafts: dict[str, str], err: TextIO) -> dict[str, Any]:
    # Invisible characters are escaped.
    lines = json.dumps(dict(call.arguments), ensure_ascii=False, indent=2, default=repr).split("\n")
    pretty = "\n".join([*map(escape_json, lines), ""])
    text = await _edited(drafts.pop(call.id, "") or pretty, "arguments.json", err)
    try:
        return _object(text)
    except _NotEdited:
        drafts[call.id] = text
        raise


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text.removeprefix("\ufeff"), parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise _NotEdited(f"it is not JSON: {error.msg} at {where}; e continues the edit") from None
    except (RecursionError, ValueError) as error:
        raise _NotEdited(f"it is not JSON: {error}; e continues the edit") from None
    if not isinstance(value, dict):
        raise _NotEdited("it is not a JSON object; e continues the edit")
    return value


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")


async def _edited(text: str, name: str, err: TextIO) -> str:
    """Return a text as changed by the editor, in a temporary file of this name."""
    from tempfile import TemporaryDirectory

    argv = _editor()
    try:
        with TemporaryDirectory(prefix="inarch-") as folder:  # mode 0700: editors leave copies beside the file
            path = Path(folder, name)
            await asyncio.to_thread(path.touch, 0o600)
            await asyncio.to_thread(path.write_bytes, text.encode("utf-8"))
            await _run([*argv, str(path)], err)
            data = await asyncio.to_thread(path.read_bytes)
            if len(data) > LARGEST_BYTES:
                raise _NotEdited(f"it is larger than {LARGEST_BYTES:,} bytes")
            return data.decode("utf-8")
    except OSError as error:
        raise _NotEdited(f"the file to edit can't be used: {error.strerror}") from error
    except UnicodeEncodeError:
        raise _NotEdited("the text is not UTF-8, so it cannot be edited; e args edits the arguments") from None
    except UnicodeDecodeError:
        raise _NotEdited("it is not UTF-8") from None


def _editor() -> list[str]:
    for name in ("VISUAL", "EDITOR"):
        value = os.environ.get(name, "").strip()
        if not value:
            continue
        try:
            argv = shlex.split(value)
        except ValueError as error:
            raise _NotEdited(f"${name} is not a command: {error}") from None
        program = shutil.which(argv[0])
        # A PATH with `.` in it would find a program in the repository.
        if program is None or not Path(program).is_absolute():
            raise _NotEdited(f"${name} names a missing program: {argv[0]!r}")
        return [program, *argv[1:]]
    raise _NotEdited("no editor is set; set VISUAL or EDITOR")


async def _run(argv: list[str], err: TextIO) -> None:
    with _terminal_lent():
        process = await asyncio.create_subprocess_exec(*argv, stdin=0, stdout=err.fileno(), stderr=err.fileno())
        try:
            code = await process.wait()
        except asyncio.CancelledError:  # stop the editor of a cancelled turn
            process.terminate()
            try:
                async with asyncio.timeout(_GRACE_S):
                    await process.wait()
            except TimeoutError:
                process.kill()
                await process.wait()
            raise
    if code != 0:
        raise _NotEdited(f"{argv[0]} ended with {f'signal {-code}' if code < 0 else f'exit code {code}'}")


@contextmanager
def _terminal_lent() -> Iterator[None]:
    """Leave Ctrl-C to the editor, and restore the terminal afterwards."""
    import termios

    try:
        before = termios.tcgetattr(0)
    except termios.error:
        before = None
    is_main = threading.current_thread() is threading.main_thread()
    # Empty handlers, because the signals are meant for the editor. The editor would inherit SIG_IGN.
    with interrupts(_leave_alone, _leave_alone, ("SIGINT", "SIGQUIT"), ignored=True) if is_main else nullcontext():
        try:
            yield
        finally:
            if before is not None:
                _take_back(before)


def _leave_alone(number: int) -> None:
    """Do nothing."""


def _take_back(before: list[Any]) -> None:
    import termios

    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTTOU})
    try:
        if os.tcgetpgrp(0) != os.getpgrp():  # the editor died while it owned the terminal
            os.tcsetpgrp(0, os.getpgrp())
        termios.tcsetattr(0, termios.TCSADRAIN, before)
    except (OSError, termios.error):
        pass  # the terminal is gone; the next read reports it
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
