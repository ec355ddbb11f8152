"""Ends of a run: exit codes, reports of failures, Ctrl-C and the signals that ask a program to end."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any

ANSWERED, FAILED, USAGE, LIMITED, NOT_DONE, CANCELLED, CLOSED_PIPE = 0, 1, 2, 3, 4, 130, 141
_OF_TURNS = {"done": ANSWERED, "failed": FAILED, "limited": LIMITED, "cancelled": CANCELLED}


def exit_code(status: str, *, unmet: bool = False) -> int:
    """Return the exit code for a turn's status; `unmet` means that nothing was done."""
    code = _OF_TURNS.get(status, FAILED)
    return NOT_DONE if unmet and code in (ANSWERED, CANCELLED) else code


def say(kind: str, text: str) -> None:
    """Write `inarch: kind: text` to standard error, on one line; ignore a closed one."""
    from inarch.journal.redactor import hide_in_message
    from inarch_lib.output.escapes import escape

    try:
        text = hide_in_message(text.strip())
        sys.stderr.write(f"inarch: {kind}: {escape(text, keep_newlines=False)}\n")
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        pass


def say_bypass(*, no_color: bool) -> None:
    """Say that commands run without the sandbox, in red on a terminal with colours."""
    from inarch_lib.output.printer import is_terminal

    said = "inarch: bypass: commands run without the sandbox and without questions"
    plain = no_color or os.environ.get("NO_COLOR") or os.environ.get("TERM", "dumb") in ("dumb", "")
    try:
        is_red = not plain and is_terminal(sys.stderr)
        sys.stderr.write(f"\x1b[31m{said}\x1b[0m\n" if is_red else f"{said}\n")
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        pass


def say_remedy(remedy: str) -> None:
    """Print a remedy below a message; lines of configuration in it stay lines, so that they can be copied."""
    from inarch.journal.redactor import hide_in_message
    from inarch_lib.output.escapes import escape

    try:
        sys.stderr.writelines(f"  {escape(line)}\n" for line in hide_in_message(remedy).splitlines())
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        pass


def quiet_exit(descriptor: int = 1) -> None:
    """Redirect an output to nothing, so that the interpreter's last flush does not report a closed pipe or terminal."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
    except OSError:
        pass


def report_crashes(debug: bool) -> None:
    """Report an unexpected error in two lines with its traceback in a file; `debug` prints the traceback."""
    sys.excepthook = _traced if debug else _crashed


def _traced(cls: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    from traceback import format_exception

    from inarch.journal.redactor import hide_in_message
    from inarch_lib.output.escapes import escape

    sys.stderr.write(escape(hide_in_message("".join(format_exception(cls, error, trace)))))


def _crashed(cls: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    from traceback import extract_tb, format_exception

    from inarch.journal.redactor import hide_in_message

    report = hide_in_message("".join(format_exception(cls, error, trace)))
    frames = extract_tb(trace)
    where = f" ({os.path.basename(frames[-1].filename)}:{frames[-1].lineno})" if frames else ""  # noqa: PTH119
    said = str(error).split("\n", 1)[0]
    say("internal error", f"{cls.__name__}: {said[:300]}{where}")
    path = _keep(report)
    if path:
        say("note", f"the whole report is in {path}; --debug shows it here")
    else:
        from inarch_lib.output.escapes import escape

        sys.stderr.write(escape(report))


def _keep(report: str) -> str | None:
    """Write the report to a file that only the user can read."""
    from time import gmtime, strftime

    from inarch.config.directories import state_dir
    from inarch.contract.errors import ConfigError

    try:
        folder = state_dir(os.environ) / "crashes"
        path = folder / f"{strftime('%Y%m%dT%H%M%SZ', gmtime())}-{os.getpid()}.txt"
        from inarch_lib.staging import make_folder  # not on the start-up path

        make_folder(folder)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except (OSError, ConfigError):  # no space, no permission, or no home
        return None
    text = f"{sys.version}\n{report}"
    with os.fdopen(descriptor, "wb") as file:
        file.write(text.encode("utf-8", "backslashreplace"))
    return str(path)


ASKING = ("SIGINT", "SIGTERM", "SIGHUP")  # the last one is missing on Windows


def leave_at_once(number: int) -> None:
    """End the process immediately."""
    sys.stderr.flush()
    os._exit(CANCELLED)


@contextmanager
def interrupts(
    asked: Callable[[int], object],
    again: Callable[[int], object] = leave_at_once,
    names: Sequence[str] = ASKING,
    *,
    ignored: bool = False,
) -> Iterator[None]:
    """Handle signals: call `asked` with the number of the first one and `again` with that of each later one.

    At the end the earlier handlers are restored, and receive a signal that asked the program to end. These are plain
    handlers, not the event loop's: they must also work while a tool or a plugin keeps the loop busy. Main thread only.

    Args:
        asked: Takes the first signal; its exception is raised wherever the program is.
        again: Takes each later one; by default the program ends at once.
        names: The signals; unknown ones are left out.
        ignored: Whether to handle ignored signals, too: nohup and background jobs rely on their shell's choice.
    """
    first = 0

    def handle(number: int, _frame: FrameType | None) -> None:
        nonlocal first
        is_first, first = not first, first or number
        (asked if is_first else again)(number)

    known = {number: signal.getsignal(number) for number in (getattr(signal, n) for n in names if hasattr(signal, n))}
    left = (None,) if ignored else (None, signal.SIG_IGN)  # None: another library's, which could not be restored
    before: dict[int, Any] = {number: handler for number, handler in known.items() if handler not in left}
    for number in before:
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if first not in (0, signal.SIGINT) and callable(earlier := before[first]):
            earlier(first, None)
