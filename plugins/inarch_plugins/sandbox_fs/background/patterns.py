"""Regular expressions in a process of their own, so that an endless search can be killed."""

from __future__ import annotations

import os
import subprocess
import sys

from attrs import define, field

from inarch import ToolFailed
from inarch_plugins.sandbox_fs.background import pattern_worker

MOST = 1_000
"""Maximum characters of a pattern."""


class TooSlow(Exception):
    """Error for a pattern that took too long, or whose process is gone."""


@define(eq=False, repr=False)
class Pattern:
    """Pattern that is ready for searches."""

    text: str
    _worker: subprocess.Popen[bytes] = field(init=False)

    def __attrs_post_init__(self) -> None:
        if not self.text or len(self.text) > MOST or "\0" in self.text:
            raise ToolFailed("validation", f"not a pattern of 1 to {MOST} characters: {self.text[:60]!r}")
        command = [sys.executable, "-I", "-S", os.path.abspath(pattern_worker.__file__)]
        self._worker = subprocess.Popen(
            [*command, self.text.encode("utf-8", "replace").decode()],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env={"LC_ALL": "C.UTF-8"}, start_new_session=True,
        )  # fmt: skip
        try:
            fault = self._answer()
        except TooSlow:
            fault = "it can't be prepared"
        if fault:
            self.close()
            raise ToolFailed(
                "validation", f"the pattern {self.text!r:.100} is not a regular expression: {fault}",
                "escape characters that are meant literally, such as \\( and \\[; nothing was started",
            )  # fmt: skip

    def find(self, data: bytes) -> str:
        """Return the first line that matches, shortened if it is long; empty if none does."""
        assert self._worker.stdin is not None
        try:
            self._worker.stdin.write(len(data).to_bytes(4, "little") + data)
            self._worker.stdin.flush()
        except (OSError, ValueError):
            raise TooSlow from None
        return self._answer()

    def _answer(self) -> str:
        assert self._worker.stdout is not None
        try:
            answer = self._worker.stdout.readline()
        except (OSError, ValueError):
            raise TooSlow from None
        if not answer.endswith(b"\n"):
            raise TooSlow
        return answer.decode("utf-8", "replace").rstrip("\n")

    def close(self) -> None:
        """End its process; may be called twice."""
        self._worker.kill()
        self._worker.wait()
        for pipe in (self._worker.stdin, self._worker.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:
                    pass
