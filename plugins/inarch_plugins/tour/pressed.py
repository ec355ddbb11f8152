"""Tour without a person: answers go to a terminal of its own, and what that terminal shows is printed."""

from __future__ import annotations

import os
import select
import sys
import termios
from codecs import getincrementaldecoder

from inarch import InarchError
from inarch.output import columns_of
from inarch_plugins.tour.example_copy import ExampleCopy
from inarch_plugins.tour.script import PROMPT

ANSWERS = (PROMPT, "a", "a", "a", "a", "/undo", "/quit")
ROWS = 200  # so that no question is cut
QUIET_S = 0.2
"""Seconds of silence after which a line that ends with a space is a prompt."""
LONGEST_S = 60.0


def converse_plainly(copy: ExampleCopy) -> int:
    """Hold the conversation, print it with the answers where a person types them, and return its exit code.

    Raises:
        InarchError: The conversation waits for something else.
    """
    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (ROWS, min(columns_of(sys.stdout), 100)))
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), theirs)
    with copy.start(*copy.chat, term="dumb", start_new_session=True, **streams) as process:
        os.close(theirs)
        try:
            _answer(ours)
            return process.wait()
        finally:
            process.terminate()
            os.close(ours)


def _answer(terminal: int) -> None:
    left, shown, waited = list(ANSWERS), "", 0.0
    decoder = getincrementaldecoder("utf-8")("replace")
    while waited < LONGEST_S:
        if select.select([terminal], [], [], QUIET_S)[0]:
            try:
                data = os.read(terminal, 65_536)
            except OSError:  # the other side is closed
                return
            shown, waited = decoder.decode(data).replace("\r", ""), 0.0
            sys.stdout.write(shown)
            sys.stdout.flush()
        elif shown.endswith(" ") and left:
            os.write(terminal, f"{left.pop(0)}\n".encode())
            shown = ""
        else:
            waited += QUIET_S
    raise InarchError("the tour does not go on", "report it")
