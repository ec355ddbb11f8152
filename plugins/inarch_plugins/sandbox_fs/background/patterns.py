"""Regular expressions in a process of their own, so that an endless search can be killed."""

from __future__ import annotations

import subprocess
import sys

from inarch import ToolFailed

MOST = 1_000
"""Maximum characters of a pattern."""
PATIENCE_S = 2.0
"""Maximum seconds for a search."""
_WRONG = 3
_ENVIRONMENT = {"LC_ALL": "C.UTF-8"}
_SEARCH = """
import re, resource, signal, sys
signal.alarm(5)  # the parent may have been killed
resource.setrlimit(resource.RLIMIT_DATA, (512 << 20, 512 << 20))
try:
    pattern = re.compile(sys.argv[1])
except (re.error, RecursionError, OverflowError, MemoryError) as error:
    sys.stderr.write(str(error) or type(error).__name__)
    sys.exit(3)
lines = (line[:4096] for line in sys.stdin.buffer.read().decode("utf-8", "replace").splitlines())
found = next((line or " " for line in lines if pattern.search(line)), "")
sys.stdout.buffer.write(found[:400].encode("utf-8", "replace"))
"""


class TooSlow(Exception):
    """Error for a pattern that took too long, or whose process failed."""


def find(pattern: str, data: bytes) -> str:
    """Return the first line that matches, shortened if it is long; empty if none does.

    Raises:
        TooSlow: The search took too long.
        ToolFailed: It is not a pattern.
    """
    words = [sys.executable, "-I", "-S", "-c", _SEARCH, pattern.encode("utf-8", "replace").decode()]
    try:
        ran = subprocess.run(
            words,
            input=data,
            capture_output=True,
            timeout=PATIENCE_S,
            env={"LC_ALL": "C.UTF-8"},
            start_new_session=True,
        )
    except (subprocess.TimeoutExpired, OSError):
        raise TooSlow from None
    if ran.returncode == _WRONG:
        raise ToolFailed(
            "validation",
            f"the pattern {pattern!r:.100} is not a regular expression: {ran.stderr.decode('utf-8', 'replace')}",
            "escape characters that are meant literally, such as \\( and \\[; nothing was started",
        )
    if ran.returncode:
        raise TooSlow
    return ran.stdout.decode("utf-8", "replace")


def check(pattern: str) -> str:
    """Return a pattern that can be searched for."""
    if not pattern or len(pattern) > MOST or "\0" in pattern:
        raise ToolFailed("validation", f"not a pattern of 1 to {MOST} characters: {pattern[:60]!r}")
    try:
        find(pattern, b"")
    except TooSlow:
        raise ToolFailed("validation", f"the pattern {pattern!r:.100} can't be prepared", "make it simpler") from None
    return pattern
