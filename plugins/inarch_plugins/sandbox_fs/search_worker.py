"""Process that runs Python's `re` over files, so that an endless pattern can be killed.

Run as a script, without the rest of Inarch: `worker.py MODE PATTERN`, file names on standard input, each ended by a
NUL. Writes `NAME NUL LINE:OFFSET:` and a newline for each line that matches; exits with 3 if the pattern is invalid.
"""

from __future__ import annotations

import os
import re
import resource
import stat
import sys

_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
_PROBE = 8_000
_MOST_CPU_SECONDS = 600
WRONG_PATTERN = 3


def main(mode: str, pattern: str) -> None:
    """Search the files named on standard input."""
    # The parent stops this in time; the limit is for the case that the parent was killed.
    resource.setrlimit(resource.RLIMIT_CPU, (_MOST_CPU_SECONDS, _MOST_CPU_SECONDS))
    unicode = "u" in mode
    try:
        flags = re.IGNORECASE if "i" in mode else re.NOFLAG
        compiled = re.compile(pattern if unicode else pattern.encode(), flags)
    except (re.error, RecursionError, OverflowError) as error:
        sys.stderr.write(str(error))
        sys.exit(WRONG_PATTERN)
    for name in sys.stdin.buffer.read().split(b"\0")[:-1]:
        try:
            _search(name, compiled, unicode)
        except MemoryError:
            continue  # the line is too long to hold: not text that a person wrote
    sys.stdout.buffer.flush()


def _search(name: bytes, compiled: re.Pattern[str] | re.Pattern[bytes], unicode: bool) -> None:
    try:
        descriptor = os.open(name, _FLAGS)
    except OSError:
        return
    with open(descriptor, "rb", buffering=1 << 18) as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode) or b"\0" in os.pread(descriptor, _PROBE, 0):
            return
        offset = 0
        search, write = compiled.search, sys.stdout.buffer.write
        for number, line in enumerate(file, 1):
            text = line.removesuffix(b"\n").removesuffix(b"\r")
            if search(text.decode("utf-8", "replace") if unicode else text):  # type: ignore[arg-type]
                write(b"%s\0%d:%d:\n" % (name, number, offset))
                sys.stdout.buffer.flush()
            offset += len(line)


if __name__ == "__main__":
    main(*sys.argv[1:])
