"""Process that searches for a pattern. Run as a script, without the rest of Inarch.

First it writes what is wrong with the pattern, or an empty line. Then it reads pieces, each after its length in four
bytes, and answers each with the first line that matches, or an empty line. It kills itself if an answer takes too long,
and ends with its input.
"""

from __future__ import annotations

import re
import resource
import signal
import sys

PATIENCE_S = 2.0
"""Maximum seconds for an answer."""
_LONGEST = 4_096
_MOST_MEMORY = 512 << 20


def main(pattern: str) -> None:
    """Answer until the input ends."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_DATA, (_MOST_MEMORY, _MOST_MEMORY))
    signal.setitimer(signal.ITIMER_REAL, PATIENCE_S)
    try:
        compiled = re.compile(pattern)
    except (re.error, RecursionError, OverflowError, MemoryError) as error:
        _answer(str(error) or type(error).__name__)
        return
    _answer("")
    signal.setitimer(signal.ITIMER_REAL, 0)
    source = sys.stdin.buffer
    while len(head := source.read(4)) == 4:
        data = source.read(int.from_bytes(head, "little"))
        signal.setitimer(signal.ITIMER_REAL, PATIENCE_S)
        lines = (line[:_LONGEST] for line in data.decode("utf-8", "replace").splitlines())
        _answer(next((line or " " for line in lines if compiled.search(line)), ""))
        signal.setitimer(signal.ITIMER_REAL, 0)


def _answer(text: str) -> None:
    sys.stdout.buffer.write(" ".join(text[:400].splitlines()).encode("utf-8", "replace") + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(sys.argv[1])
